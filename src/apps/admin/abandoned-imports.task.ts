import { Injectable } from '@nestjs/common';
import { StagedImports } from '../../identity/account/import/staged-imports.service.js';
import { ImportedTotps } from '../../identity/second-factor/totp/totp-import.service.js';
import { ScheduledTasks } from '../../platform/tasks/scheduled-tasks.js';

/** Delay before the first run, so that a short command ends before it. */
const INITIAL_DELAY_MILLIS = 1000;
const INTERVAL_MILLIS = 60_000;

/** Settles an import whose process was killed, so that its login ids become free or its accounts usable. */
@Injectable()
export class AbandonedImports {
  constructor(
    private readonly imports: StagedImports,
    private readonly totps: ImportedTotps,
    tasks: ScheduledTasks,
  ) {
    tasks.repeat(
      'AbandonedImports.settle',
      {
        kind: 'fixedDelay',
        initialDelayMillis: INITIAL_DELAY_MILLIS,
        intervalMillis: INTERVAL_MILLIS,
        onOneReplica: true,
      },
      () => this.settle(),
    );
  }

  settle(): Promise<void> {
    return this.imports.settleAbandoned(this.totps);
  }
}
