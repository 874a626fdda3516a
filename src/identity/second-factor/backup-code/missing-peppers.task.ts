import { Injectable } from '@nestjs/common';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import { PepperUses } from './pepper-use.service.js';

/** Delayed, so that a short command ends before it. */
const INITIAL_DELAY_MILLIS = 1000;
const RETRY_MILLIS = 60_000;

/** Warns once after startup about backup codes that are rejected because their pepper is not configured. */
@Injectable()
export class MissingPeppers {
  private readonly logger: Logger;

  constructor(
    private readonly uses: PepperUses,
    tasks: ScheduledTasks,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('mfa');
    const trigger = 'once after startup';
    const delayMillis = (failures: number): number | undefined => (failures > 0 ? RETRY_MILLIS : undefined);
    tasks.repeat(
      'MissingPeppers.report',
      { kind: 'custom', trigger, initialDelayMillis: INITIAL_DELAY_MILLIS, delayMillis },
      (signal) => this.report(signal),
    );
  }

  async report(signal?: AbortSignal): Promise<void> {
    for (const { key, state, accounts } of (await this.uses.count(signal)) ?? []) {
      if (state !== 'missing') continue;
      this.logger.warn('Backup codes are rejected because their pepper is not configured', {
        missing: key ?? '',
        accounts,
      });
    }
  }
}
