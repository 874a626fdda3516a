import { Injectable } from '@nestjs/common';
import { rolesOf } from '../account/account.js';
import type { Condition } from '../account/account-conditions.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { Tx, Value } from '../../platform/persistence/unit-of-work.js';
import {
  type EnrolmentChange,
  type AttemptSubject,
  type FactorState,
  FAILURES_TO_LOCK,
  FAILURES_TO_LOCK_PERMANENTLY,
  MAX_TOTPS,
  OF_STAMP,
  type PendingSecret,
  SCHEDULE_RESET_SECONDS,
  type SealedSecret,
  subjectConditions,
  type TargetSecret,
  TOLERATED_SKEW_SECONDS,
} from './attempts/attempt.js';
import { MfaProperties } from './mfa.properties.js';
import { Random } from '../../kernel/random/random.js';

const ATTEMPT_ID_BYTES = 16;
const ATTEMPT = `UPDATE account SET
  failures = CASE WHEN failures >= ${FAILURES_TO_LOCK} THEN 1 ELSE failures + 1 END,
  failures_in_row = failures_in_row + 1, last_attempt_at = ?, last_attempt_id = ?, clock_skew_at = NULL
  WHERE id = ? AND status = 'active'`;
const SCHEDULE_IN_FORCE = `(lock_level = 0 OR last_attempt_at > ? - ${SCHEDULE_RESET_SECONDS})`;
const RESET_SCHEDULE = `UPDATE account SET lock_level = 0
  WHERE id = ? AND lock_level > 0 AND last_attempt_at <= ? - ${SCHEDULE_RESET_SECONDS}`;
const RECORD_CLOCK_SKEW = `UPDATE account SET clock_skew_at = ?
  WHERE id = ? AND failures >= ${FAILURES_TO_LOCK} AND last_attempt_at > ? + ${TOLERATED_SKEW_SECONDS}
  AND (clock_skew_at IS NULL OR clock_skew_at > ? + ${TOLERATED_SKEW_SECONDS})`;

const HAS_ACTIVE = ' AND totp_count + passkey_count > 0';
const HAS_NONE = ' AND totp_count + passkey_count = 0';
const HAS_PENDING = ` AND EXISTS (SELECT 1 FROM totp_secret
  WHERE totp_secret.id = account.pending_totp_id AND asked_by = ? AND expires_at > ?)`;

const STATE = `SELECT account.status, account.roles, account.security_stamp, account.last_used_step, account.backup_set_id,
  account.failures, account.failures_in_row, account.lock_level, account.last_attempt_at, account.clock_skew_at,
  account.passkey_count, active.id AS active_id, active.sealed AS active_sealed,
  pending.id AS pending_id, pending.sealed AS pending_sealed, pending.asked_by, pending.asked_for, pending.expires_at,
  (SELECT COUNT(*) FROM used_mfa_token WHERE jti = ?) AS jti_used
  FROM account
  LEFT JOIN totp_secret active ON account.totp_count > 0 AND active.user_id = account.id AND active.activated_at IS NOT NULL
  LEFT JOIN totp_secret pending ON pending.id = account.pending_totp_id
  WHERE account.id = ?`;

const RESET = 'failures = 0, failures_in_row = 0, lock_level = 0';
const ACCEPT_STEP = `UPDATE account SET last_used_step = ?, ${RESET}
  WHERE id = ? AND status = 'active' AND totp_count > 0 AND last_used_step < ?`;
/** Another login may have reset the failures: the row changes all the same, which locks it at every node of a cluster. */
const HOLD = `UPDATE account SET ${RESET}, holds = holds + 1 WHERE id = ? AND status = 'active'`;
const ACCEPT_SET = `${HOLD} AND totp_count + passkey_count > 0 AND backup_set_id = ?`;
const ACCEPT_PASSKEY = `${HOLD} AND passkey_count > 0`;
const CONFIRMED = `pending_totp_id = NULL, last_used_step = ?, ${RESET}, enrolment_forced = 0`;
const WITH_ITS_CODES = `totp_count = 1, backup_set_id = ?, backup_codes_at = ?, security_stamp = security_stamp + 1, ${CONFIRMED}`;
const OF_PENDING = `WHERE id = ? AND status = 'active' AND pending_totp_id = ? AND last_used_step < ?`;
const CONFIRM: Readonly<Record<EnrolmentChange, string>> = {
  first: `UPDATE account SET ${WITH_ITS_CODES} ${OF_PENDING} AND totp_count + passkey_count = 0`,
  replace: `UPDATE account SET ${WITH_ITS_CODES} ${OF_PENDING} AND totp_count > 0`,
  add: `UPDATE account SET totp_count = totp_count + 1, ${CONFIRMED} ${OF_PENDING}
    AND totp_count + passkey_count > 0 AND totp_count < ${MAX_TOTPS}`,
};
const ACTIVATE = `UPDATE totp_secret SET activated_at = ?, last_used_at = ?, asked_by = NULL, asked_for = NULL, expires_at = NULL
  WHERE id = ?`;
const DELETE_OTHERS = 'DELETE FROM totp_secret WHERE user_id = ? AND id <> ?';
/** A lock that one of five parallel attempts has caused has raised the security stamp by one and left no attempt open. */
const OF_STAMP_OR_LOCKED_MEANWHILE =
  ' AND (security_stamp = ? OR (security_stamp = ? + 1 AND failures > 0 AND last_attempt_id IS NULL))';

const LOCK = `UPDATE account SET lock_level = lock_level + 1, security_stamp = security_stamp + 1, pending_totp_id = NULL,
  last_attempt_id = NULL
  WHERE id = ? AND last_attempt_id = ? AND failures > 0
  AND (failures >= ${FAILURES_TO_LOCK} OR failures_in_row = ${FAILURES_TO_LOCK_PERMANENTLY})`;
const REFUND = `UPDATE account SET failures = failures - 1, failures_in_row = failures_in_row - 1
  WHERE id = ? AND failures > 0 AND last_attempt_id IS NOT NULL`;
const COUNT = 'SELECT COUNT(*) AS number FROM account';
const UNLOCK = 'UPDATE account SET failures = 0 WHERE id = ? AND failures > 0';

interface StateRow {
  readonly status: string;
  readonly roles: string;
  readonly security_stamp: number;
  readonly last_used_step: number;
  readonly backup_set_id: string | null;
  readonly failures: number;
  readonly failures_in_row: number;
  readonly lock_level: number;
  readonly last_attempt_at: number;
  readonly clock_skew_at: number | null;
  readonly passkey_count: number;
  readonly active_id: string | null;
  readonly active_sealed: string | null;
  readonly pending_id: string | null;
  readonly pending_sealed: string | null;
  readonly asked_by: string | null;
  readonly asked_for: EnrolmentChange | null;
  readonly expires_at: number | null;
  readonly jti_used: number;
}

/** The columns of an account that decide a second factor: used step, failures and lock. */
@Injectable()
export class SecondFactorStore {
  /** Lengths of the first, second … lock in seconds. */
  readonly lockoutSchedule: readonly number[];
  private readonly unlocked: string;

  constructor(
    { lockoutSchedule }: MfaProperties,
    private readonly random: Random,
  ) {
    this.lockoutSchedule = lockoutSchedule;
    this.unlocked = unlockedCondition(lockoutSchedule);
  }

  /**
   * Takes one attempt from the budget and returns its id; undefined if the account is locked, or if the caller may not act any
   * more.
   */
  async takeAttempt(tx: Tx, caller: AttemptSubject, target: TargetSecret, now: number): Promise<string | undefined> {
    const attemptId = this.random.text(ATTEMPT_ID_BYTES);
    const conditions: string[] = [` AND ${this.unlocked} AND ${SCHEDULE_IN_FORCE}`];
    const values: Value[] = [now, attemptId, caller.subject, now, now, now, now];
    if (target.kind !== 'pending') conditions.push(target.kind === 'active' ? HAS_ACTIVE : HAS_NONE);
    else {
      conditions.push(HAS_PENDING);
      values.push(target.requestedBy, now);
    }
    const ofCaller = subjectConditions(caller);
    const sql = ATTEMPT + conditions.join('') + ofCaller.sql;
    return (await tx.change(sql, [...values, ...ofCaller.values])) === 1 ? attemptId : undefined;
  }

  async stateOf(tx: Tx, { subject, jti }: AttemptSubject): Promise<FactorState | undefined> {
    return stateOfRows(await tx.rows<StateRow>(STATE, [jti ?? '', subject]));
  }

  /** Makes the next lock the shortest one again, a day after the last failure. */
  async resetLockoutSchedule(tx: Tx, subject: string, now: number): Promise<void> {
    await tx.change(RESET_SCHEDULE, [subject, now]);
  }

  /** Records when a process whose clock is behind encountered the lock, so that the lock ends for that process, too. */
  async recordClockSkew(tx: Tx, subject: string, now: number): Promise<void> {
    await tx.change(RECORD_CLOCK_SKEW, [now, subject, now, now]);
  }

  /** Moves the last used step forward and resets the failures; false if the code of this or a later step was used. */
  async acceptStep(tx: Tx, caller: AttemptSubject, state: FactorState, step: number): Promise<boolean> {
    return this.accept(tx, ACCEPT_STEP, [step, caller.subject, step], caller, state);
  }

  /**
   * Makes the pending secret and its codes the active ones, and moves the last used step forward; false if the secret is
   * no longer pending or the step was used.
   */
  async confirmPending(
    tx: Tx,
    { subject, securityStamp }: AttemptSubject,
    { id, change }: Pick<PendingSecret, 'id' | 'change'>,
    { step, now }: { readonly step: number; readonly now: number },
  ): Promise<boolean> {
    const values: Value[] = [...(change === 'add' ? [] : [id, now]), step, subject, id, step];
    const isConfirmed =
      securityStamp === undefined
        ? await tx.change(CONFIRM[change], values)
        : await tx.change(CONFIRM[change] + OF_STAMP, [...values, securityStamp]);
    if (isConfirmed !== 1) return false;
    await tx.change(ACTIVATE, [now, now, id]);
    if (change === 'replace') await tx.change(DELETE_OTHERS, [subject, id]);
    return true;
  }

  /** Resets the failures, and locks the row until a backup code of this set is used up. */
  async acceptSet(tx: Tx, caller: AttemptSubject, state: FactorState, setId: string): Promise<boolean> {
    return this.accept(tx, ACCEPT_SET, [caller.subject, setId], caller, state);
  }

  /** Resets the failures, and locks the row until the counter of a passkey is stored. */
  async acceptPasskey(tx: Tx, caller: AttemptSubject, state: Pick<FactorState, 'securityStamp'>): Promise<boolean> {
    return this.accept(tx, ACCEPT_PASSKEY, [caller.subject], caller, state);
  }

  /** The security stamp of `state` also decides for a full caller: it rises when an authenticator of that state goes. */
  private async accept(
    tx: Tx,
    sql: string,
    values: readonly Value[],
    caller: AttemptSubject,
    state: Pick<FactorState, 'securityStamp'>,
  ): Promise<boolean> {
    const { securityStamp = state.securityStamp } = caller;
    return (await tx.change(sql + OF_STAMP_OR_LOCKED_MEANWHILE, [...values, securityStamp, securityStamp])) === 1;
  }

  /** Raises the lock level if this attempt began a lock; false if it did not. */
  async lock(tx: Tx, subject: string, attemptId: string): Promise<boolean> {
    return (await tx.change(LOCK, [subject, attemptId])) === 1;
  }

  /** Takes one failure back, unless the lock has been recorded: that lock would end early. */
  async refund(tx: Tx, subject: string): Promise<void> {
    await tx.change(REFUND, [subject]);
  }

  /** Number of accounts with a lock in force; reads only accounts that were locked since their last success. */
  async countLocked(tx: Tx, now: number): Promise<number> {
    const { sql, values } = this.underLock(now);
    const [row] = await tx.rows<{ readonly number: number }>(`${COUNT} WHERE ${sql}`, values);
    return row?.number ?? 0;
  }

  /** Accounts with a lock in force. */
  underLock(now: number): Condition {
    return { sql: `lock_level > 0 AND COALESCE(${this.unlocked}, 0) = 0`, values: [now, now, now] };
  }

  /** Ends the lock; the lock level and the failures in a row stay. */
  async unlock(tx: Tx, subject: string): Promise<boolean> {
    return (await tx.change(UNLOCK, [subject])) === 1;
  }
}

/** The rule of `lockOf` as a condition with three values, each the current time. */
function unlockedCondition(schedule: readonly number[]): string {
  const lengths = schedule.map((seconds, index) => `WHEN lock_level <= ${index + 1} THEN ${seconds}`);
  const length = `CASE ${lengths.join(' ')} ELSE ${schedule.at(-1) ?? 0} END`;
  return `(failures = 0
    OR (failures < ${FAILURES_TO_LOCK} AND failures_in_row <> ${FAILURES_TO_LOCK_PERMANENTLY})
    OR (failures >= ${FAILURES_TO_LOCK} AND failures_in_row < ${FAILURES_TO_LOCK_PERMANENTLY}
      AND (last_attempt_at <= ? - ${length}
        OR (last_attempt_at > ? + ${TOLERATED_SKEW_SECONDS} AND clock_skew_at <= ? - ${length}))))`;
}

/** One row for each authenticator app, with the same account. */
function stateOfRows(rows: readonly StateRow[]): FactorState | undefined {
  const [row] = rows;
  return (
    row && {
      isEnabled: row.status === 'active',
      roles: rolesOf(row.roles),
      securityStamp: row.security_stamp,
      lastUsedStep: row.last_used_step,
      failures: row.failures,
      failuresInRow: row.failures_in_row,
      lockLevel: row.lock_level,
      lastAttemptAt: row.last_attempt_at,
      clockSkewAt: row.clock_skew_at,
      isJtiUsed: row.jti_used > 0,
      passkeyCount: row.passkey_count,
      active: rows.map((each) => sealedOf(each.active_id, each.active_sealed)).filter((secret) => secret !== undefined),
      ...withoutUndefined({
        backupSetId: row.backup_set_id ?? undefined,
        pending: pendingOf(row),
      }),
    }
  );
}

function sealedOf(id: string | null, sealed: string | null): SealedSecret | undefined {
  return id === null || sealed === null ? undefined : { id, sealed };
}

function pendingOf(row: StateRow): PendingSecret | undefined {
  const secret = sealedOf(row.pending_id, row.pending_sealed);
  const { asked_by: requestedBy, asked_for: change, expires_at: expiresAt } = row;
  return secret && { ...secret, requestedBy: requestedBy ?? '', change: change ?? 'first', expiresAt: expiresAt ?? 0 };
}
