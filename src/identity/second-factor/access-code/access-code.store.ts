import { Injectable } from '@nestjs/common';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx, Value } from '../../../platform/persistence/unit-of-work.js';
import { TOLERATED_SKEW_SECONDS } from '../attempts/attempt.js';
import type { StoredCode } from '../backup-code/backup-code.js';

/** Nothing is remembered of an expired code: one that is not stored is rejected. */
expiringTable('access_code', 'user_id', 0);

const DELETE = 'DELETE FROM access_code WHERE user_id = ?';
const INSERT = 'INSERT INTO access_code (user_id, hash, pepper, created_at, expires_at) VALUES (?, ?, ?, ?, ?)';
/** A code from further in the future means that a clock was set back, after which it would live too long. */
const USE = `UPDATE access_code SET used_by = ?, expires_at = ?
  WHERE user_id = ? AND used_by IS NULL AND expires_at > ? AND created_at <= ? AND`;
const OF_USER = 'WHERE user_id = ? AND used_by = ? AND expires_at > ?';
const IS_USED = `SELECT COUNT(*) AS number FROM access_code ${OF_USER}`;
const SPEND = `DELETE FROM access_code ${OF_USER}`;

/** The use of a code by a login; instants are epoch seconds. */
export interface AccessCodeUse {
  readonly subject: string;
  /** The session or `mfa_token`. */
  readonly usedBy: string;
  readonly now: number;
}

/** The temporary access codes, at most one row for an account. */
@Injectable()
export class AccessCodeStore {
  /** Stores a code in place of an earlier one; the caller has locked the row of the account. */
  async replace(
    tx: Tx,
    subject: string,
    { hash, pepper }: StoredCode,
    { createdAt, expiresAt }: { readonly createdAt: number; readonly expiresAt: number },
  ): Promise<void> {
    await tx.change(DELETE, [subject]);
    await tx.change(INSERT, [subject, hash, pepper, createdAt, expiresAt]);
  }

  /**
   * Gives the code, which is stored in one of these forms, to one login, which may set up an authenticator until `until`; false
   * if the account has no such code, or if it was used.
   */
  async use(
    tx: Tx,
    { subject, usedBy, now }: AccessCodeUse,
    forms: readonly StoredCode[],
    until: number,
  ): Promise<boolean> {
    const conditions = forms.map(({ pepper }) => `(hash = ? AND ${pepper === null ? 'pepper IS NULL' : 'pepper = ?'})`);
    const values = forms.flatMap(({ hash, pepper }): Value[] => (pepper === null ? [hash] : [hash, pepper]));
    const sql = `${USE} (${conditions.join(' OR ')})`;
    return (await tx.change(sql, [usedBy, until, subject, now, now + TOLERATED_SKEW_SECONDS, ...values])) === 1;
  }

  /** True while a login may set up an authenticator by the code that it has used. */
  async isUsedBy(tx: Tx, { subject, usedBy, now }: AccessCodeUse): Promise<boolean> {
    const [row] = await tx.rows<{ readonly number: number }>(IS_USED, [subject, usedBy, now]);
    return (row?.number ?? 0) > 0;
  }

  /** Deletes the code that this login has used; false if it has none, or no longer. */
  async spend(tx: Tx, { subject, usedBy, now }: AccessCodeUse): Promise<boolean> {
    return (await tx.change(SPEND, [subject, usedBy, now])) === 1;
  }

  async delete(tx: Tx, subject: string): Promise<void> {
    await tx.change(DELETE, [subject]);
  }
}
