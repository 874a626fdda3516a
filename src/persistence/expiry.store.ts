import { Injectable } from '@nestjs/common';
import type { Tx } from './unit-of-work.js';

/** Tables whose rows are of no use after `expires_at`, each with its key. */
const EXPIRING = [
  { table: 'session', key: 'id' },
  { table: 'refresh_token', key: 'token_hash' },
  { table: 'used_mfa_token', key: 'jti' },
  { table: 'trusted_device', key: 'id' },
  { table: 'saml_request', key: 'id' },
  { table: 'used_assertion', key: 'id' },
  { table: 'idp_session', key: 'id' },
] as const;

export type ExpiringTable = (typeof EXPIRING)[number]['table'];

export const EXPIRING_TABLES: readonly ExpiringTable[] = EXPIRING.map(({ table }) => table);

const KEYS = Object.fromEntries(EXPIRING.map(({ table, key }) => [table, key])) as Readonly<
  Record<ExpiringTable, string>
>;

/** Deletes what has expired, a few rows at a time: one engine has no `DELETE … LIMIT`. */
@Injectable()
export class ExpiryStore {
  /** Keys of rows that expired before, the oldest first. */
  async expired(tx: Tx, table: ExpiringTable, before: number, limit: number): Promise<readonly string[]> {
    const sql = `SELECT ${KEYS[table]} AS name FROM ${table} WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`;
    return (await tx.rows<{ readonly name: string }>(sql, [before, limit])).map(({ name }) => name);
  }

  /** A row whose end was moved since it was read stays. */
  async delete(tx: Tx, table: ExpiringTable, names: readonly string[], before: number): Promise<number> {
    const marks = names.map(() => '?').join(', ');
    return tx.change(`DELETE FROM ${table} WHERE ${KEYS[table]} IN (${marks}) AND expires_at <= ?`, [...names, before]);
  }
}
