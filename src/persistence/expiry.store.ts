import { Injectable } from '@nestjs/common';
import type { ExpiringTable } from './expiring-tables.js';
import type { Tx } from './unit-of-work.js';

/** Deletes expired rows, a few at a time: one engine has no `DELETE … LIMIT`. */
@Injectable()
export class ExpiryStore {
  /** Keys of rows that expired by then, the oldest first. */
  async expired(tx: Tx, { table, key }: ExpiringTable, before: number, limit: number): Promise<readonly string[]> {
    const sql = `SELECT ${key} AS name FROM ${table} WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`;
    return (await tx.rows<{ readonly name: string }>(sql, [before, limit])).map(({ name }) => name);
  }

  /** Keeps a row whose expiry was moved since it was read. */
  async delete(tx: Tx, { table, key }: ExpiringTable, names: readonly string[], before: number): Promise<number> {
    const marks = names.map(() => '?').join(', ');
    return tx.change(`DELETE FROM ${table} WHERE ${key} IN (${marks}) AND expires_at <= ?`, [...names, before]);
  }
}
