import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { MAX_BATCH } from '../event-line.js';
import type { ChainedBatch, SealedHead } from './event-batch.js';

const HEAD_COLUMNS = 'batch, hash, deleted, deleted_hash, seal_key, mac';
const HEAD = `SELECT ${HEAD_COLUMNS} FROM event_chain WHERE slot = 1`;
const BEGIN = `INSERT INTO event_chain (slot, ${HEAD_COLUMNS}) VALUES (1, ?, ?, ?, ?, ?, ?)`;
const REPLACE = `UPDATE event_chain SET batch = ?, hash = ?, deleted = ?, deleted_hash = ?, seal_key = ?, mac = ?
  WHERE slot = 1 AND mac = ?`;
const BATCH_COLUMNS = 'batch, begins, first_id, last_id, events, at, content, hash';
const ADD = `INSERT INTO event_batch (${BATCH_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const AFTER = `SELECT ${BATCH_COLUMNS} FROM event_batch WHERE batch > ? ORDER BY batch LIMIT ?`;
const LAST = `SELECT MAX(batch) AS batch FROM event_batch WHERE batch < ${MAX_BATCH}`;
const FIRST = 'SELECT MIN(batch) AS batch FROM event_batch WHERE batch > 0';
const BEYOND = 'SELECT batch FROM event_batch WHERE batch > ? ORDER BY batch DESC LIMIT ?';
const DELETE = 'DELETE FROM event_batch WHERE batch > ? AND batch <= ?';

/** The batches of security events, and the head of their chain. */
@Injectable()
export class EventChainStore {
  async head(tx: Tx): Promise<SealedHead | undefined> {
    return (await tx.rows<SealedHead>(HEAD))[0];
  }

  /** Replaces the head that the caller has read; returns false if another process was first. */
  async replaceHead(tx: Tx, read: SealedHead | undefined, head: SealedHead): Promise<boolean> {
    const { batch, hash, deleted, deleted_hash, seal_key, mac } = head;
    const values = [batch, hash, deleted, deleted_hash, seal_key, mac];
    if (!read) return tx.insert(BEGIN, values);
    return (await tx.change(REPLACE, [...values, read.mac])) === 1;
  }

  /** Returns false if the table has a batch of this number. */
  add(tx: Tx, of: ChainedBatch): Promise<boolean> {
    const { batch, begins, first_id, last_id, events, at, content, hash } = of;
    return tx.insert(ADD, [batch, begins, first_id, last_id, events, at, content, hash]);
  }

  /** In ascending order. */
  after(tx: Tx, batch: number, limit: number): Promise<readonly ChainedBatch[]> {
    return tx.rows<ChainedBatch>(AFTER, [batch, limit]);
  }

  /** The highest number of a stored batch; 0 without any. */
  async last(tx: Tx): Promise<number> {
    const [row] = await tx.rows<{ readonly batch: number | null }>(LAST);
    return row?.batch ?? 0;
  }

  /** The lowest number of a stored batch; undefined without any. */
  async first(tx: Tx): Promise<number | undefined> {
    const [row] = await tx.rows<{ readonly batch: number | null }>(FIRST);
    return row?.batch ?? undefined;
  }

  /** Numbers above that of a batch, highest first. */
  async beyond(tx: Tx, batch: number, limit: number): Promise<readonly number[]> {
    return (await tx.rows<{ readonly batch: number }>(BEYOND, [batch, limit])).map((row) => row.batch);
  }

  /** Deletes the batches after one number, up to and with another one. */
  async deleteBetween(tx: Tx, after: number, last: number): Promise<void> {
    await tx.change(DELETE, [after, last]);
  }
}
