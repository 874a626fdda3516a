import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { type Tx, UnitOfWork } from './unit-of-work.js';
import { Random } from '../random/random.js';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { type ExpiringTable, expiringTables } from './expiring-tables.js';

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

  private async sweepTable(table: ExpiringTable, signal: AbortSignal | undefined): Promise<number> {
    const before = this.clock.seconds() - table.keptSeconds;
    let count = 0;
    for (let batch = 0; batch < MAX_BATCHES && !signal?.aborted; batch += 1) {
      const keys = await this.work.single((tx) => expiredKeys(tx, table, before));
      if (keys.length > 0) count += await this.work.single((tx) => deleteExpired(tx, table, keys, before));
      if (keys.length < BATCH) break;
    }
    return count;
  }
}

/** Keys of the rows that expired longest ago. They are read first because one engine has no `DELETE … LIMIT`. */
async function expiredKeys(tx: Tx, { table, key }: ExpiringTable, before: number): Promise<readonly string[]> {
  const sql = `SELECT ${key} AS name FROM ${table} WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`;
  return (await tx.rows<{ readonly name: string }>(sql, [before, BATCH])).map(({ name }) => name);
}

/** Keeps a row if its expiry was extended after its key was read. */
async function deleteExpired(
  tx: Tx,
  { table, key }: ExpiringTable,
  keys: readonly string[],
  before: number,
): Promise<number> {
  const marks = keys.map(() => '?').join(', ');
  return tx.change(`DELETE FROM ${table} WHERE ${key} IN (${marks}) AND expires_at <= ?`, [...keys, before]);
}
