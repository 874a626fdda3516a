import { Injectable } from '@nestjs/common';
import type { Tx } from '../../persistence/unit-of-work.js';
import { type AttemptSubject, subjectConditions } from '../attempts/attempt.js';
import type { NamedAuthenticators, StoredFactors } from '../second-factor.js';

const ASK = `UPDATE account SET pending_totp_id = ? WHERE id = ? AND status = 'active'`;
const WITHOUT_OWN_PENDING = ` AND NOT EXISTS (SELECT 1 FROM totp_secret
  WHERE totp_secret.id = account.pending_totp_id AND asked_by = ? AND expires_at > ?)`;
const HOLD_PENDING = `UPDATE account SET holds = holds + 1 WHERE id = ? AND status = 'active' AND pending_totp_id = ?`;
const SHOWN = `SELECT totp_secret.id, totp_secret.sealed, totp_secret.expires_at FROM account
  JOIN totp_secret ON totp_secret.id = account.pending_totp_id
  WHERE account.id = ? AND account.status = 'active' AND totp_secret.asked_by = ? AND totp_secret.expires_at > ?`;
const WITHOUT_ACTIVE = ' AND totp_id IS NULL';
const WITH_ACTIVE = ' AND totp_id = ?';

const WIPE = `totp_id = NULL, pending_totp_id = NULL, backup_set_id = NULL, backup_codes_at = NULL, security_stamp = security_stamp + 1`;
const DISABLE = `UPDATE account SET ${WIPE} WHERE id = ? AND totp_id IS NOT NULL`;
const RESET = `UPDATE account SET ${WIPE}, enrolment_forced = 1 WHERE id = ?`;
const REISSUE = `UPDATE account SET backup_set_id = ?, backup_codes_at = ?
  WHERE id = ? AND status = 'active' AND totp_id IS NOT NULL`;

const LOGIN_ID = 'SELECT login_id FROM account WHERE id = ?';
const NAMED = 'SELECT totp_id, pending_totp_id, backup_set_id FROM account WHERE id = ?';
const STATE = `SELECT active.activated_at, pending.expires_at AS pending_until, pending.asked_by AS pending_asked_by,
  account.backup_codes_at, account.failures, account.failures_in_row, account.lock_level, account.last_attempt_at, account.clock_skew_at,
  (SELECT COUNT(*) FROM backup_code
    WHERE backup_code.user_id = account.id AND backup_code.set_id = account.backup_set_id) AS remaining
  FROM account
  LEFT JOIN totp_secret active ON active.id = account.totp_id
  LEFT JOIN totp_secret pending ON pending.id = account.pending_totp_id
  WHERE account.id = ?`;

interface NamedRow {
  readonly totp_id: string | null;
  readonly pending_totp_id: string | null;
  readonly backup_set_id: string | null;
}

/** A request for a secret, and the secrets that it may replace. */
interface Asked extends AttemptSubject {
  readonly askedBy: string;
  readonly replaces?: string;
  readonly keepsOwn?: boolean;
}

/** A pending secret as it is stored. */
export interface StoredPendingSecret {
  readonly id: string;
  readonly sealed: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

interface ShownRow {
  readonly id: string;
  readonly sealed: string;
  readonly expires_at: number;
}

interface StateRow {
  readonly activated_at: number | null;
  readonly pending_until: number | null;
  readonly pending_asked_by: string | null;
  readonly backup_codes_at: number | null;
  readonly failures: number;
  readonly failures_in_row: number;
  readonly lock_level: number;
  readonly last_attempt_at: number;
  readonly clock_skew_at: number | null;
  readonly remaining: number;
}

/** The columns of an account that name its pending and active secret and its active set of backup codes. */
@Injectable()
export class EnrolmentStore {
  /**
   * Makes a secret the pending one; false unless the active one is the one that the caller may replace. With `keepsOwn`,
   * also false if the caller has a pending secret at `now`.
   */
  async ask(tx: Tx, caller: Asked, pendingId: string, now: number): Promise<boolean> {
    const { replaces, keepsOwn = false, askedBy } = caller;
    const ofCaller = subjectConditions(caller);
    const sql = ASK + (replaces === undefined ? WITHOUT_ACTIVE : WITH_ACTIVE) + ofCaller.sql;
    const values = [pendingId, caller.subject, ...(replaces === undefined ? [] : [replaces]), ...ofCaller.values];
    return keepsOwn
      ? (await tx.change(sql + WITHOUT_OWN_PENDING, [...values, askedBy, now])) === 1
      : (await tx.change(sql, values)) === 1;
  }

  /** The pending secret that the caller asked for; undefined if there is none, or if the caller may not act any more. */
  async pending(tx: Tx, caller: Asked, now: number): Promise<StoredPendingSecret | undefined> {
    const ofCaller = subjectConditions(caller);
    const values = [caller.subject, caller.askedBy, now, ...ofCaller.values];
    const [row] = await tx.rows<ShownRow>(SHOWN + ofCaller.sql, values);
    return row && { id: row.id, sealed: row.sealed, expiresAt: row.expires_at };
  }

  /** Locks the row of the account while that secret is pending and the caller may act; false if either is not the case. */
  async holdPending(tx: Tx, caller: AttemptSubject, pendingId: string): Promise<boolean> {
    const ofCaller = subjectConditions(caller);
    const values = [caller.subject, pendingId, ...ofCaller.values];
    return (await tx.change(HOLD_PENDING + ofCaller.sql, values)) === 1;
  }

  async disable(tx: Tx, subject: string): Promise<boolean> {
    return (await tx.change(DISABLE, [subject])) === 1;
  }

  /** Removes the second factor and demands a new one at the next login. */
  async reset(tx: Tx, subject: string): Promise<boolean> {
    return (await tx.change(RESET, [subject])) === 1;
  }

  /** Makes another set the active one, and locks the row until its codes are stored. */
  async reissue(tx: Tx, subject: string, setId: string, now: number): Promise<boolean> {
    return (await tx.change(REISSUE, [setId, now, subject])) === 1;
  }

  async loginId(tx: Tx, subject: string): Promise<string | undefined> {
    const [row] = await tx.rows<{ readonly login_id: string }>(LOGIN_ID, [subject]);
    return row?.login_id;
  }

  async named(tx: Tx, subject: string): Promise<NamedAuthenticators | undefined> {
    const [row] = await tx.rows<NamedRow>(NAMED, [subject]);
    return (
      row && {
        totpId: row.totp_id,
        pendingTotpId: row.pending_totp_id,
        backupSetId: row.backup_set_id,
      }
    );
  }

  async state(tx: Tx, subject: string): Promise<StoredFactors | undefined> {
    const [row] = await tx.rows<StateRow>(STATE, [subject]);
    return (
      row && {
        activatedAt: row.activated_at,
        pendingUntil: row.pending_until,
        pendingAskedBy: row.pending_asked_by,
        backupCodesAt: row.backup_codes_at,
        remaining: row.remaining,
        failures: row.failures,
        failuresInRow: row.failures_in_row,
        lockLevel: row.lock_level,
        lastAttemptAt: row.last_attempt_at,
        clockSkewAt: row.clock_skew_at,
      }
    );
  }
}
