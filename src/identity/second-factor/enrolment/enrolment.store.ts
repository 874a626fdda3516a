import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import {
  type EnrolmentChange,
  type AttemptSubject,
  MAX_TOTPS,
  OF_STAMP,
  subjectConditions,
} from '../attempts/attempt.js';
import { MAX_PASSKEYS, type PasskeyPlace } from '../passkey/passkey.js';
import type { AuthenticatorType } from '../factor-state.js';
import type { SetupRequest } from '../factor-state.js';
import type { StoredFactors } from '../factor-state.js';
import type { NamedAuthenticators } from '../factor-state.js';

const ASK = `UPDATE account SET pending_totp_id = ? WHERE id = ? AND status = 'active'`;
const WITHOUT_OWN_PENDING = ` AND NOT EXISTS (SELECT 1 FROM totp_secret
  WHERE totp_secret.id = account.pending_totp_id AND asked_by = ? AND expires_at > ?
  AND COALESCE(asked_for, 'first') = ? AND COALESCE(totp_secret.name, '') = ?)`;
const HOLD_PENDING = `UPDATE account SET holds = holds + 1 WHERE id = ? AND status = 'active' AND pending_totp_id = ?`;
const SHOWN = `SELECT totp_secret.id, totp_secret.sealed, totp_secret.asked_for, totp_secret.name, totp_secret.expires_at FROM account
  JOIN totp_secret ON totp_secret.id = account.pending_totp_id
  WHERE account.id = ? AND account.status = 'active' AND totp_secret.asked_by = ? AND totp_secret.expires_at > ?`;
const WITHOUT_ACTIVE = ' AND totp_count + passkey_count = 0';
const WITH_ACTIVE = ' AND totp_count + passkey_count > 0';
const MAY_ASK: Readonly<Record<EnrolmentChange, string>> = {
  first: WITHOUT_ACTIVE,
  replace: ' AND totp_count > 0',
  add: `${WITH_ACTIVE} AND totp_count < ${MAX_TOTPS}`,
};
const OF_ACTIVE = `WHERE id = ? AND status = 'active'`;
const ADDED = 'passkey_count = passkey_count + 1, enrolment_forced = 0';
/** Only the first one names a set of backup codes. */
const ADD_PASSKEY: Readonly<Record<PasskeyPlace, string>> = {
  first: `UPDATE account SET ${ADDED}, pending_totp_id = NULL, backup_set_id = ?, backup_codes_at = ?
    ${OF_ACTIVE}${WITHOUT_ACTIVE}`,
  further: `UPDATE account SET ${ADDED} ${OF_ACTIVE}${WITH_ACTIVE} AND passkey_count < ${MAX_PASSKEYS}`,
  demanded: `UPDATE account SET ${ADDED} ${OF_ACTIVE}${WITH_ACTIVE} AND passkey_count = 0`,
};

const WIPE = `totp_count = 0, passkey_count = 0, pending_totp_id = NULL, backup_set_id = NULL, backup_codes_at = NULL, security_stamp = security_stamp + 1`;
const DISABLE = `UPDATE account SET ${WIPE} WHERE id = ?${WITH_ACTIVE}`;
/** Removes one of several authenticators; half-authenticated logins end. */
const REMOVE: Readonly<Record<AuthenticatorType, string>> = {
  totp: removalOf('totp_count'),
  passkey: removalOf('passkey_count'),
};
const KEEPS_ONE: Readonly<Record<AuthenticatorType, string>> = {
  totp: ' AND totp_count > 1',
  passkey: ' AND passkey_count > 1',
};
const RESET = `UPDATE account SET ${WIPE}, enrolment_forced = 1 WHERE id = ?`;
const REISSUE = `UPDATE account SET backup_set_id = ?, backup_codes_at = ?
  WHERE id = ? AND status = 'active'${WITH_ACTIVE}`;

const LOGIN_ID = 'SELECT login_id FROM account WHERE id = ?';
const NAMED = 'SELECT totp_count, passkey_count, pending_totp_id, backup_set_id FROM account WHERE id = ?';
const STATE = `SELECT
  (SELECT MIN(activated_at) FROM totp_secret WHERE totp_secret.user_id = account.id AND account.totp_count > 0) AS totp_since,
  (SELECT MIN(created_at) FROM passkey WHERE passkey.user_id = account.id) AS passkey_since,
  pending.expires_at AS pending_until, pending.asked_by AS pending_asked_by,
  account.backup_codes_at, account.failures, account.failures_in_row, account.lock_level, account.last_attempt_at, account.clock_skew_at,
  (SELECT COUNT(*) FROM backup_code
    WHERE backup_code.user_id = account.id AND backup_code.set_id = account.backup_set_id) AS remaining
  FROM account
  LEFT JOIN totp_secret pending ON pending.id = account.pending_totp_id
  WHERE account.id = ?`;

interface NamedRow {
  readonly totp_count: number;
  readonly passkey_count: number;
  readonly pending_totp_id: string | null;
  readonly backup_set_id: string | null;
}

/** Who adds a passkey. */
export interface PasskeyOwner extends AttemptSubject {
  /** The security stamp of the account when its challenge was issued; another one means other authenticators. */
  readonly ofStamp: number;
}

/** A pending secret as it is stored. */
export interface StoredPendingSecret {
  readonly id: string;
  readonly sealed: string;
  readonly change: EnrolmentChange;
  readonly name: string | undefined;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

interface ShownRow {
  readonly id: string;
  readonly sealed: string;
  readonly asked_for: EnrolmentChange | null;
  readonly name: string | null;
  readonly expires_at: number;
}

interface StateRow {
  readonly totp_since: number | null;
  readonly passkey_since: number | null;
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

/** The columns of an account that count its authenticators, and name its pending secret and its active set of backup codes. */
@Injectable()
export class EnrolmentStore {
  /**
   * Makes a secret the pending one; false unless the account has the authenticators that the request was authorized for. With
   * `keepsOwn`, also false if the caller has a pending secret at `now` that it asked for in the same way.
   */
  async ask(tx: Tx, caller: SetupRequest, pendingId: string, now: number): Promise<boolean> {
    const { change = 'first', ofStamp, name = '', keepsOwn = false, requestedBy } = caller;
    const ofCaller = subjectConditions(caller);
    const sql = ASK + MAY_ASK[change] + ofCaller.sql + (ofStamp === undefined ? '' : OF_STAMP);
    const values = [pendingId, caller.subject, ...ofCaller.values, ...(ofStamp === undefined ? [] : [ofStamp])];
    return keepsOwn
      ? (await tx.change(sql + WITHOUT_OWN_PENDING, [...values, requestedBy, now, change, name])) === 1
      : (await tx.change(sql, values)) === 1;
  }

  /** The pending secret that the caller asked for; undefined if there is none, or if the caller may not act any more. */
  async pending(tx: Tx, caller: SetupRequest, now: number): Promise<StoredPendingSecret | undefined> {
    const ofCaller = subjectConditions(caller);
    const values = [caller.subject, caller.requestedBy, now, ...ofCaller.values];
    const [row] = await tx.rows<ShownRow>(SHOWN + ofCaller.sql, values);
    if (!row) return undefined;
    const { id, sealed, asked_for: change, name, expires_at: expiresAt } = row;
    return { id, sealed, change: change ?? 'first', name: name ?? undefined, expiresAt };
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

  /**
   * Counts a passkey; the first authenticator of an account makes `codes` the active set of backup codes. False if the account
   * has no place for it, or if the caller may not act any more.
   */
  async addPasskey(
    tx: Tx,
    caller: PasskeyOwner,
    place: PasskeyPlace,
    codes: { readonly setId: string; readonly now: number },
  ): Promise<boolean> {
    const ofCaller = subjectConditions(caller);
    const values = [caller.subject, ...ofCaller.values, caller.ofStamp];
    const ofCodes = place === 'first' ? [codes.setId, codes.now] : [];
    return (await tx.change(ADD_PASSKEY[place] + ofCaller.sql + OF_STAMP, [...ofCodes, ...values])) === 1;
  }

  /** Counts one authenticator less; false if it is the last one, with `keepsOne` also if it is the last one of its type. */
  async removeOne(tx: Tx, subject: string, type: AuthenticatorType, keepsOne: boolean): Promise<boolean> {
    return (await tx.change(REMOVE[type] + (keepsOne ? KEEPS_ONE[type] : ''), [subject])) === 1;
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
        totpCount: row.totp_count,
        passkeyCount: row.passkey_count,
        pendingTotpId: row.pending_totp_id,
        backupSetId: row.backup_set_id,
      }
    );
  }

  async state(tx: Tx, subject: string): Promise<StoredFactors | undefined> {
    const [row] = await tx.rows<StateRow>(STATE, [subject]);
    return (
      row && {
        totpSince: row.totp_since,
        passkeySince: row.passkey_since,
        pendingUntil: row.pending_until,
        pendingRequestedBy: row.pending_asked_by,
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

function removalOf(count: 'totp_count' | 'passkey_count'): string {
  return `UPDATE account SET ${count} = ${count} - 1, pending_totp_id = NULL, security_stamp = security_stamp + 1
    WHERE id = ? AND ${count} > 0 AND totp_count + passkey_count > 1`;
}
