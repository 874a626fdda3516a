import { Injectable } from '@nestjs/common';
import { personalTable } from '../persistence/personal-tables.js';
import { type Slice, sliceValues } from '../persistence/slice.js';
import type { Tx, Value } from '../persistence/unit-of-work.js';
import { EVENT_COLUMNS, type EventRow } from './event-line.js';

personalTable('security_event', {
  name: 'events',
  key: 'id',
  owner: 'user_id',
  shown: EVENT_COLUMNS,
});

const COLUMNS = 'id, at, kind, user_id, actor, ip, agent, request_id, idp, authn_context, amr, result, reason, detail';
const INSERT = `INSERT INTO security_event (${COLUMNS}) VALUES `;
const ROW = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const OF_USER = `SELECT ${COLUMNS} FROM security_event WHERE user_id = ? AND id < ? ORDER BY id DESC LIMIT ?`;
const IDS_BETWEEN = 'SELECT id FROM security_event WHERE id > ? AND id < ? ORDER BY id LIMIT ?';
const DELETE_BETWEEN = 'DELETE FROM security_event WHERE id > ? AND id <= ?';

/** The append-only table of security events. */
@Injectable()
export class EventStore {
  /** Inserts all events in one statement, so that they are stored or lost together outside of a transaction, too. */
  async insert(tx: Tx, rows: readonly EventRow[]): Promise<void> {
    await tx.change(INSERT + rows.map(() => ROW).join(', '), rows.flatMap(valuesOf));
  }

  /** Newest first. */
  ofUser(tx: Tx, subject: string, page: Slice): Promise<readonly EventRow[]> {
    return tx.rows<EventRow>(OF_USER, [subject, ...sliceValues(page)]);
  }

  /** Oldest first: ids sort by time, and both statements follow the primary key. */
  async idsBetween(tx: Tx, after: string, before: string, limit: number): Promise<readonly string[]> {
    return (await tx.rows<{ readonly id: string }>(IDS_BETWEEN, [after, before, limit])).map(({ id }) => id);
  }

  /** Deletes the events after one id, up to and with another one. */
  deleteBetween(tx: Tx, after: string, last: string): Promise<number> {
    return tx.change(DELETE_BETWEEN, [after, last]);
  }
}

function valuesOf(row: EventRow): readonly Value[] {
  const { id, at, kind, user_id, actor, ip, agent, request_id, idp, authn_context, amr, result, reason, detail } = row;
  return [id, at, kind, user_id, actor, ip, agent, request_id, idp, authn_context, amr, result, reason, detail];
}
