import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { expiringTable } from '../persistence/expiring-tables.js';
import type { Tx } from '../persistence/unit-of-work.js';
import { MailMessageEntity } from './mail-message.entity.js';
import type { MailRow, MailState } from './mail-message.js';

const COLUMNS =
  'id, message_id, created_at, template, user_id, facts, state, attempts, next_attempt_at, give_up_at, last_error, expires_at';
const INSERT = `INSERT INTO mail_message (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const DUE = 'next_attempt_at <= ?';
/**
 * Finds times so far ahead that they were written before the clock was set back. A range of the index, so that no turn
 * reads all waiting mails.
 */
const DUE_BEFORE_CLOCK_CHANGE = 'next_attempt_at > ?';
const CLAIMED = "id = ? AND state = 'waiting' AND next_attempt_at = ?";
const CLAIM = `UPDATE mail_message SET attempts = attempts + 1, next_attempt_at = ? WHERE ${CLAIMED}`;
const PLAN = `UPDATE mail_message SET next_attempt_at = ?, last_error = ? WHERE ${CLAIMED}`;
const FAIL = `UPDATE mail_message SET state = 'failed', last_error = ? WHERE ${CLAIMED}`;
const DELETE = 'DELETE FROM mail_message WHERE id = ?';
const OF_USER = 'SELECT id FROM mail_message WHERE user_id = ?';
const RENEW = `UPDATE mail_message SET state = 'waiting', attempts = 0, next_attempt_at = ?, give_up_at = ?, expires_at = ?
  WHERE id = ? AND state = 'failed'`;
const COUNT = 'SELECT state, COUNT(*) AS mails FROM mail_message GROUP BY state';

expiringTable('mail_message', 'id');
/** Table `mail_message`: the mails that the relay has not accepted yet. */
@Injectable()
export class MailMessageStore {
  async insert(tx: Tx, row: MailRow): Promise<void> {
    const { id, message_id, created_at, template, user_id, facts } = row;
    const { state, attempts, next_attempt_at, give_up_at, last_error, expires_at } = row;
    const content = [id, message_id, created_at, template, user_id, facts];
    await tx.change(INSERT, [...content, state, attempts, next_attempt_at, give_up_at, last_error, expires_at]);
  }

  /** The mails of these templates whose time has passed, or is later than `latest`, in the order of their times. */
  async due(
    tx: Tx,
    templates: readonly string[],
    { now, latest, limit }: { readonly now: number; readonly latest: number; readonly limit: number },
  ): Promise<readonly MailRow[]> {
    const known = templates.map(() => '?').join(', ');
    const sql = (due: string): string => `SELECT ${COLUMNS} FROM mail_message
      WHERE state = 'waiting' AND ${due} AND template IN (${known}) ORDER BY next_attempt_at LIMIT ?`;
    const passed = await tx.rows<MailRow>(sql(DUE), [now, ...templates, limit]);
    if (passed.length === limit) return passed;
    const values = [latest, ...templates, limit - passed.length];
    return [...passed, ...(await tx.rows<MailRow>(sql(DUE_BEFORE_CLOCK_CHANGE), values))];
  }

  /** Claims a mail until `until`; false if another replica was faster. */
  async claim(tx: Tx, { id, next_attempt_at }: MailRow, until: number): Promise<boolean> {
    return (await tx.change(CLAIM, [until, id, next_attempt_at])) === 1;
  }

  /** Plans the next attempt of a claimed mail. */
  async plan(tx: Tx, { id, next_attempt_at }: MailRow, at: number, error: string): Promise<void> {
    await tx.change(PLAN, [at, error, id, next_attempt_at]);
  }

  /** Gives up a claimed mail. */
  async fail(tx: Tx, { id, next_attempt_at }: MailRow, error: string): Promise<void> {
    await tx.change(FAIL, [error, id, next_attempt_at]);
  }

  async delete(tx: Tx, id: string): Promise<void> {
    await tx.change(DELETE, [id]);
  }

  /** Deletes the mails of an account, one by one: a search for them would lock all rows of the table on MariaDB. */
  async deleteOf(tx: Tx, subject: string): Promise<void> {
    for (const { id } of await tx.rows<{ readonly id: string }>(OF_USER, [subject])) await this.delete(tx, id);
  }

  /** Makes a failed mail waiting again; false if there is no such mail. */
  async renew(
    tx: Tx,
    id: string,
    { now, giveUpAt, expiresAt }: { readonly now: number; readonly giveUpAt: number; readonly expiresAt: number },
  ): Promise<boolean> {
    return (await tx.change(RENEW, [now, giveUpAt, expiresAt, id])) === 1;
  }

  /** Mails after the id `after`, oldest first. */
  async list(tx: Tx, after: string, state: MailState | undefined, limit: number): Promise<readonly MailRow[]> {
    const mails = await tx.repository(MailMessageEntity);
    const where = { id: MoreThan(after), ...(state !== undefined && { state }) };
    return mails.find({ where, order: { id: 'ASC' }, take: limit });
  }

  async count(tx: Tx): Promise<Readonly<Record<MailState, number>>> {
    const rows = await tx.rows<{ readonly state: MailState; readonly mails: number }>(COUNT);
    const counts = new Map(rows.map(({ state, mails }) => [state, mails]));
    return { waiting: counts.get('waiting') ?? 0, failed: counts.get('failed') ?? 0 };
  }
}
