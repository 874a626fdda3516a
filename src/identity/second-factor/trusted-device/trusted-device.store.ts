import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { isOlder, type Slice } from '../../../platform/persistence/slice.js';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { Random, timeOrderedId } from '../../../kernel/random/random.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { TrustedDeviceEntity } from './trusted-device.entity.js';
import type { TrustedDevice } from './trusted-device.js';

expiringTable('trusted_device', 'id');

const INSERT = `INSERT INTO trusted_device
  (id, user_id, secret_hash, label, ip, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const ROTATE = `UPDATE trusted_device SET secret_hash = ?, last_used_at = ?
  WHERE secret_hash = ? AND user_id = ? AND expires_at > ?`;
const BY_SECRET = 'SELECT expires_at FROM trusted_device WHERE secret_hash = ?';
const DELETE = 'DELETE FROM trusted_device WHERE user_id = ? AND id = ?';
const DELETE_ENDED = 'DELETE FROM trusted_device WHERE user_id = ? AND expires_at <= ?';
const DELETE_ALL = 'DELETE FROM trusted_device WHERE user_id = ?';

/** A device to be trusted. */
export interface NewDevice {
  readonly subject: string;
  readonly secretHash: string;
  readonly lifetimeSeconds: number;
  readonly label?: string;
  readonly ip?: string;
}

/** The trusted devices of all accounts; stores only the hash of a secret. */
@Injectable()
export class TrustedDeviceStore {
  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Stores a device, deletes the expired ones of the same account, and returns the expiry of the new one. */
  async insert(tx: Tx, { subject, secretHash, lifetimeSeconds, label, ip }: NewDevice): Promise<number> {
    const now = this.clock.seconds();
    const expiresAt = now + lifetimeSeconds;
    const id = timeOrderedId(this.clock.millis(), this.random.bytes(10));
    await tx.change(DELETE_ENDED, [subject, now]);
    await tx.change(INSERT, [id, subject, secretHash, label ?? null, ip ?? null, now, now, expiresAt]);
    return expiresAt;
  }

  /** Replaces the secret; false unless it is the current one of a device of this user. */
  async rotate(tx: Tx, subject: string, oldHash: string, newHash: string): Promise<boolean> {
    const now = this.clock.seconds();
    return (await tx.change(ROTATE, [newHash, now, oldHash, subject, now])) === 1;
  }

  async expiryOf(tx: Tx, secretHash: string): Promise<number | undefined> {
    const [row] = await tx.rows<{ readonly expires_at: number }>(BY_SECRET, [secretHash]);
    return row?.expires_at;
  }

  async list(tx: Tx, subject: string, page: Slice): Promise<readonly TrustedDevice[]> {
    const devices = await tx.repository(TrustedDeviceEntity);
    const where = { user_id: subject, expires_at: MoreThan(this.clock.seconds()), id: isOlder(page) };
    const rows = await devices.find({ where, order: { id: 'DESC' }, take: page.limit });
    return rows.map(({ id, label, ip, created_at, last_used_at, expires_at }) => ({
      id,
      ...withoutUndefined({ label: label ?? undefined, ip: ip ?? undefined }),
      createdAt: created_at,
      lastUsedAt: last_used_at,
      expiresAt: expires_at,
    }));
  }

  async delete(tx: Tx, subject: string, id: string): Promise<boolean> {
    return (await tx.change(DELETE, [subject, id])) === 1;
  }

  deleteAll(tx: Tx, subject: string): Promise<number> {
    return tx.change(DELETE_ALL, [subject]);
  }
}
