import { Injectable } from '@nestjs/common';
import { expiringTable } from '../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';

expiringTable('known_client', 'id');
const FIND = 'SELECT id FROM known_client WHERE id = ? AND expires_at > ? AND expires_at <= ?';
const INSERT = 'INSERT INTO known_client (id, user_id, expires_at) VALUES (?, ?, ?)';
/** An end beyond the lifetime was written before the clock was set back. */
const RENEW = 'UPDATE known_client SET expires_at = ? WHERE id = ? AND (expires_at <= ? OR expires_at > ?)';
const DELETE = 'DELETE FROM known_client WHERE user_id = ?';

/** A client whose login is reported at most once until `expiresAt`; instants are epoch seconds. */
export interface KnownClient {
  readonly id: string;
  readonly subject: string;
  readonly now: number;
  readonly expiresAt: number;
}

/** Table `known_client`: digests of the clients whose logins were reported. */
@Injectable()
export class KnownClientStore {
  /** True if `add` would return false; one read. */
  async has(tx: Tx, { id, now, expiresAt }: KnownClient): Promise<boolean> {
    return (await tx.rows(FIND, [id, now, expiresAt])).length === 1;
  }

  /** False if the client is stored and has not expired. */
  async add(tx: Tx, { id, subject, now, expiresAt }: KnownClient): Promise<boolean> {
    if (await tx.insert(INSERT, [id, subject, expiresAt])) return true;
    return (await tx.change(RENEW, [expiresAt, id, now, expiresAt])) === 1;
  }

  async deleteOf(tx: Tx, subject: string): Promise<void> {
    await tx.change(DELETE, [subject]);
  }
}
