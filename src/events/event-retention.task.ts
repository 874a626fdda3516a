import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import type { Logger } from '../logging/logger.js';
import { Loggers } from '../logging/loggers.js';
import { BatchSize } from '../persistence/batch-size.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { Random, timeOrderedId } from '../random/random.js';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { EventStore } from './event.store.js';
import { EventProperties } from './events.properties.js';

/** Rows of one turn; the next one continues. */
const MAX_ROWS = 10_000;
const INITIAL_DELAY_MILLIS = 10 * 60_000;
const INTERVAL_MILLIS = 60 * 60_000;
/** A turn that left expired events is followed soon, so that a first retention ends within hours, not days. */
const UNFINISHED_DELAY_MILLIS = 5000;
const LOWEST_RANDOM = new Uint8Array(10);

/**
 * Deletes security events after `app.security.events.retention`, in the background of every replica: two of them that meet
 * delete the same rows once. Nothing that decides a login reads events, so no lock, limit or replay check depends on them.
 */
@Injectable()
export class EventRetention {
  private readonly logger: Logger;

  constructor(
    private readonly store: EventStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly properties: EventProperties,
    random: Random,
    tasks: ScheduledTasks,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('events.retention');
    if (properties.retention === undefined) return;
    tasks.repeat(
      'EventRetention.sweep',
      {
        kind: 'fixedDelay',
        initialDelayMillis: INITIAL_DELAY_MILLIS,
        intervalMillis: INTERVAL_MILLIS,
        unfinishedDelayMillis: UNFINISHED_DELAY_MILLIS,
        jitter: random,
      },
      async (signal) => ((await this.sweep(signal)) >= MAX_ROWS ? 'unfinished' : undefined),
    );
  }

  /**
   * Deletes the oldest expired events up to a limit, and returns how many it found; another replica may have deleted some of
   * them.
   */
  async sweep(signal?: AbortSignal): Promise<number> {
    const { retention } = this.properties;
    if (retention === undefined) return 0;
    const before = Math.max(0, Math.trunc(this.clock.millis() - retention.milliseconds));
    const end = timeOrderedId(before, LOWEST_RANDOM);
    const size = new BatchSize();
    let [count, found] = [0, 0];
    // A batch begins after the last one: a server still visits rows that were just deleted.
    for (let after = ''; found < MAX_ROWS && !signal?.aborted;) {
      const { rows } = size;
      const from = after;
      const ids = await this.work.single((tx) => this.store.idsBetween(tx, from, end, rows));
      const last = ids.at(-1);
      if (last === undefined) break;
      count += await this.work.single((tx) => size.measured(() => this.store.deleteBetween(tx, from, last)));
      found += ids.length;
      after = last;
      if (ids.length < rows) break;
    }
    if (count > 0)
      this.logger.info('Security events beyond their retention are deleted', { count, end: instant(before) });
    return found;
  }
}

function instant(millis: number): string {
  return new Date(millis).toISOString();
}
