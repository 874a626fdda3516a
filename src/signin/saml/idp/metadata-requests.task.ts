import { Injectable } from '@nestjs/common';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import { MetadataRefresh } from './metadata-refresh.task.js';
import { MetadataRequests } from './metadata-requests.service.js';

const INTERVAL_MILLIS = 5000;

/** Carries out `saml refresh`: looks for new requests in the database every five seconds. */
@Injectable()
export class MetadataRequestWatch {
  private readonly logger: Logger;
  /** Undefined until the first look. */
  private seen: ReadonlyMap<string, number> | undefined;

  constructor(
    private readonly requests: MetadataRequests,
    private readonly refresh: MetadataRefresh,
    loggers: Loggers,
    tasks: ScheduledTasks,
  ) {
    this.logger = loggers.get('saml');
    if (refresh.names.length === 0) return;
    const schedule = { kind: 'fixedRate', initialDelayMillis: 0, intervalMillis: INTERVAL_MILLIS } as const;
    tasks.repeat('MetadataRequestWatch.look', schedule, () => this.look());
  }

  /**
   * The first look finds requests from before the start. The reading at the start may have begun before one of them, so they
   * are carried out once more, but not logged as new.
   */
  private async look(): Promise<void> {
    const counts = await this.requests.counts();
    const { seen } = this;
    this.seen = counts;
    for (const name of this.refresh.names.filter((each) => counts.get(each) !== seen?.get(each))) {
      if (seen) {
        this.logger.info(`"saml refresh" requested a new reading of the metadata of the identity provider "${name}"`);
      }
      void this.refresh.refreshNow(name);
    }
  }
}
