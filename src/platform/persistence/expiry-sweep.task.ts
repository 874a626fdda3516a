import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { BatchSize } from './batch-size.js';
import { type Tx, UnitOfWork } from './unit-of-work.js';
import { Random } from '../../kernel/random/random.js';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { type ExpiringTable, expiringTables } from './expiring-tables.js';
import { SqlMapper } from './mapper/sql-mapper.js';

/** Number of rows of one turn; the next turn continues. */
const MAX_ROWS = 10_000;
const INTERVAL_MILLIS = 5 * 60_000;
/** Delay after a turn that left expired rows; it is short, so that the sweep keeps up with many logins. */
const UNFINISHED_DELAY_MILLIS = 5000;

/** Deletes expired sessions, tokens and requests in the background of one replica at a time. */
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
        onOneReplica: true,
      },
      async (signal) => ((await this.sweep(signal)) >= MAX_ROWS ? 'unfinished' : undefined),
    );
  }

  /** Deletes expired rows up to a limit, and returns how many it found; another replica may have deleted some of them. */
  async sweep(signal?: AbortSignal): Promise<number> {
    let count = 0;
    for (const table of expiringTables()) count += await this.sweepTable(table, signal);
    return count;
  }

  private async sweepTable({ table, key, retentionSeconds }: ExpiringTable, signal?: AbortSignal): Promise<number> {
    const before = this.clock.seconds() - retentionSeconds;
    const size = new BatchSize();
    let found = 0;
    while (found < MAX_ROWS && !signal?.aborted) {
      const { rows } = size;
      const keys = await this.work.single((tx) =>
        this.mapper.select<string>(tx, 'expiry.expiredKeys', { table, key, before, limit: rows }),
      );
      found += keys.length;
      const expired = { table, key, before, expiredKeys: size.padded(keys, rows) };
      const remove = (tx: Tx): Promise<number> =>
        size.measured(() => this.mapper.change(tx, 'expiry.deleteExpired', expired));
      if (keys.length > 0) await this.work.single(remove);
      if (keys.length < rows) break;
    }
    return found;
  }
}
