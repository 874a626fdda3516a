import { Injectable } from '@nestjs/common';
import type { FindOptionsSelect } from 'typeorm';
import { isOlder, type Slice } from '../../platform/persistence/slice.js';
import type { Tx, Value } from '../../platform/persistence/unit-of-work.js';
import type { BatchedEvent, PlacedEvent } from './chain/event-batch.js';
import { EVENT_COLUMNS, type EventRow, MAX_BATCH, UNBATCHED } from './event-line.js';
import { SecurityEventEntity } from './security-event.entity.js';

const COLUMNS = 'id, at, kind, user_id, actor, ip, agent, request_id, idp, authn_context, amr, result, reason, detail';
const LISTED: FindOptionsSelect<SecurityEventEntity> = Object.fromEntries(
  EVENT_COLUMNS.map((column) => [column, true]),
);
const INSERT = `INSERT INTO security_event (${COLUMNS}, batch) VALUES `;
const ROW = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${UNBATCHED.new})`;
const KINDS_OF_USER = 'SELECT kind FROM security_event WHERE user_id = ? AND kind IN';
const UNBATCHED_EVENTS = `SELECT ${COLUMNS}, batch FROM security_event WHERE batch <= 0 ORDER BY batch, id LIMIT ?`;
const OVERDUE = 'SELECT id, at FROM security_event WHERE batch <= 0 AND id < ? ORDER BY batch, id LIMIT ?';
const UNCHAINED_RESTORE = "SELECT id FROM security_event WHERE batch <= 0 AND kind = 'DATABASE_RESTORED' LIMIT 1";
const BATCHED = `SELECT ${COLUMNS}, batch FROM security_event
  WHERE batch >= ? AND batch <= ? AND (batch > ? OR id > ?) ORDER BY batch, id LIMIT ?`;
const BEFORE_CHAIN = `SELECT id, at, batch FROM security_event
  WHERE batch < ${UNBATCHED.new} OR (batch > 0 AND batch <= ?) ORDER BY batch, id LIMIT ?`;
const BEYOND_CHAIN = 'SELECT id, at, batch FROM security_event WHERE batch > ? ORDER BY batch DESC, id LIMIT ?';
const LAST_BATCH = `SELECT MAX(batch) AS batch FROM security_event WHERE batch < ${MAX_BATCH}`;
const IDS_OF_BATCHES = 'SELECT id FROM security_event WHERE batch > ? AND batch <= ? ORDER BY batch, id';

/** `MFA_CHALLENGED` comes with a first factor that completes no sign-in. */
const SIGN_INS = `SELECT
  SUM(CASE WHEN kind IN ('LOGIN_PASSWORD_OK', 'LOGIN_PASSKEY_OK', 'MFA_OK') THEN 1 WHEN kind = 'MFA_CHALLENGED' THEN -1
    WHEN kind = 'SAML_OK' AND (reason IS NULL OR reason NOT LIKE 'local%') THEN 1 ELSE 0 END) AS completed,
  SUM(CASE WHEN kind IN ('LOGIN_PASSWORD_FAILED', 'LOGIN_PASSKEY_FAILED', 'MFA_FAILED', 'MFA_REPLAY', 'SAML_REJECTED') THEN 1 ELSE 0 END) AS failed
  FROM security_event WHERE id >= ? AND id < ?`;

/** The append-only table of security events. */
@Injectable()
export class EventStore {
  /** Inserts all events in one statement, so that they are stored or lost together outside of a transaction, too. */
  async insert(tx: Tx, rows: readonly EventRow[]): Promise<void> {
    await tx.change(INSERT + rows.map(() => ROW).join(', '), rows.flatMap(valuesOf));
  }

  /** Newest first. */
  async ofUser(tx: Tx, subject: string, page: Slice): Promise<readonly EventRow[]> {
    const events = await tx.repository(SecurityEventEntity);
    const where = { user_id: subject, id: isOlder(page) };
    return events.find({ select: LISTED, where, order: { id: 'DESC' }, take: page.limit });
  }

  /** The kinds of the oldest events of some kinds, oldest first. */
  async oldestKinds(tx: Tx, subject: string, kinds: readonly string[], limit: number): Promise<readonly string[]> {
    const sql = `${KINDS_OF_USER} (${marksOf(kinds)}) ORDER BY id LIMIT ?`;
    return (await tx.rows<{ readonly kind: string }>(sql, [subject, ...kinds, limit])).map(({ kind }) => kind);
  }

  /** Events without a batch: new ones first, each in the order of their ids. */
  unbatched(tx: Tx, limit: number): Promise<readonly BatchedEvent[]> {
    return tx.rows<BatchedEvent>(UNBATCHED_EVENTS, [limit]);
  }

  /** Events without a batch that are older than an id. */
  overdue(tx: Tx, before: string, limit: number): Promise<readonly Pick<EventRow, 'id' | 'at'>[]> {
    return tx.rows(OVERDUE, [before, limit]);
  }

  /** True if no service has run since a restore: its event has no batch yet. */
  async isJustRestored(tx: Tx): Promise<boolean> {
    return (await tx.rows(UNCHAINED_RESTORE)).length > 0;
  }

  /** Puts events without a batch into one; `ids` may repeat an id. Returns their number. */
  putIntoBatch(tx: Tx, batch: number, ids: readonly string[]): Promise<number> {
    const sql = `UPDATE security_event SET batch = ? WHERE id IN (${marksOf(ids)}) AND batch <= 0`;
    return tx.change(sql, [batch, ...ids]);
  }

  /** Events of the batches from `first` to `last` by batch and id, after an event of `first`. */
  batched(tx: Tx, range: BatchRange, limit: number): Promise<readonly BatchedEvent[]> {
    const { first, last, afterId } = range;
    return tx.rows<BatchedEvent>(BATCHED, [first, last, first, afterId, limit]);
  }

  /** Events of batches that were deleted, and those whose number no batch can have. */
  beforeChain(tx: Tx, deleted: number, limit: number): Promise<readonly PlacedEvent[]> {
    return tx.rows(BEFORE_CHAIN, [deleted, limit]);
  }

  /** Events of batches after the last one, those of the highest number first. */
  beyondChain(tx: Tx, last: number, limit: number): Promise<readonly PlacedEvent[]> {
    return tx.rows(BEYOND_CHAIN, [last, limit]);
  }

  /** The highest number of a batch that an event names; 0 or less without any. */
  async lastBatch(tx: Tx): Promise<number> {
    return (await tx.rows<{ readonly batch: number | null }>(LAST_BATCH))[0]?.batch ?? 0;
  }

  /** The sign-ins of a range of ids, the last one excluded. */
  async signIns(
    tx: Tx,
    firstId: string,
    endId: string,
  ): Promise<{ readonly completed: number; readonly failed: number }> {
    const [row] = await tx.rows<Record<'completed' | 'failed', number | null>>(SIGN_INS, [firstId, endId]);
    // A server answers sums as text.
    return { completed: Number(row?.completed), failed: Number(row?.failed) };
  }

  /** Ids of the events of the batches after one number, up to and with another one. */
  async idsOfBatches(tx: Tx, after: number, last: number): Promise<readonly string[]> {
    return (await tx.rows<{ readonly id: string }>(IDS_OF_BATCHES, [after, last])).map(({ id }) => id);
  }

  /** `ids` may repeat an id. Deleting by id locks no gap of the index, in which new events are inserted. */
  delete(tx: Tx, ids: readonly string[]): Promise<number> {
    return tx.change(`DELETE FROM security_event WHERE id IN (${marksOf(ids)})`, ids);
  }
}

/** A range of batches, and the id of the event of the first one that was read last. */
export interface BatchRange {
  readonly first: number;
  readonly last: number;
  readonly afterId: string;
}

function marksOf(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

function valuesOf(row: EventRow): readonly Value[] {
  const { id, at, kind, user_id, actor, ip, agent, request_id, idp, authn_context, amr, result, reason, detail } = row;
  return [id, at, kind, user_id, actor, ip, agent, request_id, idp, authn_context, amr, result, reason, detail];
}
