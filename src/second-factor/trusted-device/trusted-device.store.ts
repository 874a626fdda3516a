import { Injectable } from '@nestjs/common';
import { type Slice, sliceValues } from '../../persistence/slice.js';
import { expiringTable } from '../../persistence/expiring-tables.js';
import type { Tx } from '../../persistence/unit-of-work.js';

expiringTable('trusted_device', 'id');

const INSERT = `INSERT INTO trusted_device
  (id, user_id, secret_hash, label, ip, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const ROTATE = `UPDATE trusted_device SET secret_hash = ?, last_used_at = ?
  WHERE secret_hash = ? AND user_id = ? AND expires_at > ?`;
const BY_SECRET = 'SELECT expires_at FROM trusted_device WHERE secret_hash = ?';
const LIST = `SELECT id, label, ip, created_at, last_used_at, expires_at FROM trusted_device
  WHERE user_id = ? AND expires_at > ? AND id < ? ORDER BY id DESC LIMIT ?`;
const DELETE = 'DELETE FROM trusted_device WHERE user_id = ? AND id = ?';
const DELETE_ENDED = 'DELETE FROM trusted_device WHERE user_id = ? AND expires_at <= ?';
const DELETE_ALL = 'DELETE FROM trusted_device WHERE user_id = ?';

/** A browser that skips the second factor; instants are epoch seconds. */
export interface TrustedDevice {
  readonly id: string;
  readonly label?: string;
  readonly ip?: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

interface DeviceRow {
  readonly id: string;
  readonly label: string | null;
  readonly ip: string | null;
  readonly created_at: number;
  readonly last_used_at: number;
  readonly expires_at: number;
}

/** The trusted devices of all accounts; of a secret only its hash is kept. */
@Injectable()
export class TrustedDeviceStore {
  async insert(tx: Tx, subject: string, secretHash: string, device: TrustedDevice): Promise<void> {
    const { id, label = null, ip = null, createdAt, lastUsedAt, expiresAt } = device;
    await tx.change(INSERT, [id, subject, secretHash, label, ip, createdAt, lastUsedAt, expiresAt]);
  }

  /** Replaces the secret; false unless this user's device has this very one, and still. */
  async rotate(tx: Tx, subject: string, oldHash: string, newHash: string, now: number): Promise<boolean> {
    return (await tx.change(ROTATE, [newHash, now, oldHash, subject, now])) === 1;
  }

  async expiryOf(tx: Tx, secretHash: string): Promise<number | undefined> {
    const [row] = await tx.rows<{ readonly expires_at: number }>(BY_SECRET, [secretHash]);
    return row?.expires_at;
  }

  async list(tx: Tx, subject: string, now: number, page: Slice): Promise<readonly TrustedDevice[]> {
    const rows = await tx.rows<DeviceRow>(LIST, [subject, now, ...sliceValues(page)]);
    return rows.map(({ id, label, ip, created_at, last_used_at, expires_at }) => ({
      id,
      ...(label !== null && { label }),
      ...(ip !== null && { ip }),
      createdAt: created_at,
      lastUsedAt: last_used_at,
      expiresAt: expires_at,
    }));
  }

  async delete(tx: Tx, subject: string, id: string): Promise<boolean> {
    return (await tx.change(DELETE, [subject, id])) === 1;
  }

  async deleteEnded(tx: Tx, subject: string, now: number): Promise<void> {
    await tx.change(DELETE_ENDED, [subject, now]);
  }

  deleteAll(tx: Tx, subject: string): Promise<number> {
    return tx.change(DELETE_ALL, [subject]);
  }
}
