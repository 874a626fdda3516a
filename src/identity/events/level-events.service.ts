import { Injectable, type OnModuleInit } from '@nestjs/common';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { SecurityEvents } from './security-events.service.js';
import type { LevelChanged } from '../../observability/logging/log-levels.js';
import { LevelAudit, LogLevels } from '../../observability/logging/log-levels.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';

/** Lengths of the columns; names from the configuration are not limited otherwise. */
const MAX_ACTOR_LENGTH = 64;
const MAX_LOGGER_LENGTH = 200;

/** Records changes of levels as security events. */
@Injectable()
export class LevelEvents extends LevelAudit implements OnModuleInit {
  private readonly log: Logger;

  constructor(
    private readonly levels: LogLevels,
    private readonly events: SecurityEvents,
    loggers: Loggers,
  ) {
    super();
    this.log = loggers.get('management');
  }

  onModuleInit(): void {
    this.levels.onEnd((changed) => void this.record([changed], 'service', 'time_over'));
  }

  /**
   * Records the changes that took effect. A database that cannot be reached does not revert them: an outage is when
   * operators need another level.
   */
  async record(changes: readonly LevelChanged[], by: string, reason?: string): Promise<void> {
    const actor = by.slice(0, MAX_ACTOR_LENGTH);
    const events = changes
      .filter((changed) => changed.old !== changed.new)
      .map((changed) => {
        const detail = { logger: changed.logger.slice(0, MAX_LOGGER_LENGTH), old: changed.old, new: changed.new };
        return withoutUndefined({ kind: 'LOGLEVEL_CHANGED' as const, actor, detail, reason });
      });
    if (events.length === 0) return;
    try {
      await this.events.recordAlone(...events);
    } catch (error) {
      this.log.error('The security event about a change of a level could not be stored', { error });
    }
  }
}
