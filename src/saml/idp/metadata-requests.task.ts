import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import type { ScheduledTask } from '../../tasks/scheduled-task.js';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { MetadataRefresh } from './metadata-refresh.task.js';
import { MetadataRequests } from './metadata-requests.service.js';

const EVERY_MILLIS = 5000;

/** Obeys `saml refresh`: looks for new requests in the database every five seconds. */
@Injectable()
export class MetadataRequestWatch implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: ScheduledTask | undefined;
  private readonly logger: Logger;
  /** Undefined until the first look. */
  private seen: ReadonlyMap<string, number> | undefined;
  private running: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly requests: MetadataRequests,
    private readonly refresh: MetadataRefresh,
    loggers: Loggers,
    tasks: ScheduledTasks,
  ) {
    this.logger = loggers.get('saml');
    if (refresh.names.length === 0) return;
    const rate = { initialDelayMillis: 0, intervalMillis: EVERY_MILLIS };
    this.task = tasks.add('MetadataRequestWatch.look', { kind: 'fixedRate', ...rate });
  }

  onApplicationBootstrap(): void {
    const { task } = this;
    if (!task) return;
    this.running = this.turn(task);
    task.plan(EVERY_MILLIS);
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.turn(task));
      task.plan(EVERY_MILLIS);
    }, EVERY_MILLIS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async turn(task: ScheduledTask): Promise<void> {
    try {
      await task.run(() => this.look());
    } catch {
      // The database is away: the requests stay there, and the next turn comes soon.
    }
  }

  /**
   * The first look finds requests from before the start. The reading at the start may have begun before one of them, so they
   * are obeyed once more, but not logged as new.
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
