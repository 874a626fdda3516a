import { Injectable } from '@nestjs/common';
import { expiringTable } from '../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import type { Replica } from './replica.js';

expiringTable('replica', 'id', 0);

const ADD = 'INSERT INTO replica (id, host, version, started_at, expires_at) VALUES (?, ?, ?, ?, ?)';
const RENEW = 'UPDATE replica SET expires_at = ? WHERE id = ?';
const LIVE =
  'SELECT id, host, version, started_at AS startedAt FROM replica WHERE expires_at > ? ORDER BY host, started_at, id';
const REMOVE = 'DELETE FROM replica WHERE id = ?';

/** The table `replica`. */
@Injectable()
export class ReplicaStore {
  /** False if the row exists. */
  add(tx: Tx, { id, host, version, startedAt }: Replica, expiresAt: number): Promise<boolean> {
    return tx.insert(ADD, [id, host, version, startedAt, expiresAt]);
  }

  /** False if the row does not exist. */
  async renew(tx: Tx, id: string, expiresAt: number): Promise<boolean> {
    return (await tx.change(RENEW, [expiresAt, id])) === 1;
  }

  live(tx: Tx, now: number): Promise<readonly Replica[]> {
    return tx.rows<Replica>(LIVE, [now]);
  }

  async remove(tx: Tx, id: string): Promise<void> {
    await tx.change(REMOVE, [id]);
  }
}
