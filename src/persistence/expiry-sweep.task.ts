import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { UnitOfWork } from './unit-of-work.js';
import { Random } from '../random/random.js';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { type ExpiringTable, expiringTables } from './expiring-tables.js';
import { SqlMapper } from './mapper/sql-mapper.js';

/** Rows of one transaction: few, so that requests do not wait long for its locks. */
const BATCH = 200;
/** The next turn continues after this number of batches. */
const MAX_BATCHES = 50;
const INTERVAL_MILLIS = 5 * 60_000;
/** A turn that left expired rows is followed soon, so that the sweep keeps up with many logins. */
const UNFINISHED_DELAY_MILLIS = 5000;

/** Deletes expired sessions, tokens and requests in the background of every replica. */
@Injectable()
export class ExpirySweep {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mapper: SqlMapper,
    private readonly clock: Clock,
    random: Random,
    tasks: ScheduledTasks,
  ) {
    tasks.repeat(
      'ExpirySweep.sweep',
      {
        kind: 'fixedDelay',
        initialDelayMillis: INTERVAL_MILLIS,
        intervalMillis: INTERVAL_MILLIS,
        unfinishedDelayMillis: UNFINISHED_DELAY_MILLIS,
        jitter: random,
      },
      async (signal) => ((await this.sweep(signal)) >= MAX_BATCHES * BATCH ? 'unfinished' : undefined),
    );
  }

  /** Deletes expired rows up to a limit, and returns their number. */
  async sweep(signal?: AbortSignal): Promise<number> {
    let count = 0;
    for (const table of expiringTables()) count += await this.sweepTable(table, signal);
    return count;
  }

  private async sweepTable({ table, key, keptSeconds }: ExpiringTable, signal?: AbortSignal): Promise<number> {
    const before = this.clock.seconds() - keptSeconds;
    let count = 0;
    for (let batch = 0; batch < MAX_BATCHES && !signal?.aborted; batch += 1) {
      const keys = await this.work.single((tx) =>
        this.mapper.select<string>(tx, 'expiry.expiredKeys', { table, key, before, limit: BATCH }),
      );
      if (keys.length > 0) {
        const expired = { table, key, before, expiredKeys: keys };
        count += await this.work.single((tx) => this.mapper.change(tx, 'expiry.deleteExpired', expired));
      }
      if (keys.length < BATCH) break;
    }
    return count;
  }
}
