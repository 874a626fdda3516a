import { Injectable } from '@nestjs/common';
import { rolesOf } from '../account/account.js';
import type { Tx, Value } from '../persistence/unit-of-work.js';
import { type TargetSecret, type AttemptSubject, type FactorState, subjectConditions } from './attempts/attempt.js';
import {
  FAILURES_TO_LOCK_PERMANENTLY,
  FAILURES_TO_LOCK,
  SCHEDULE_RESET_SECONDS,
  TOLERATED_SKEW_SECONDS,
} from './attempts/lock.js';
import { MfaProperties } from './mfa.properties.js';

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

const HAS_ACTIVE = ' AND totp_id IS NOT NULL';
const HAS_PENDING = ` AND EXISTS (SELECT 1 FROM totp_secret
  WHERE totp_secret.id = account.pending_totp_id AND asked_by = ? AND expires_at > ?)`;

const STATE = `SELECT account.status, account.roles, account.security_stamp, account.last_used_step, account.backup_set_id,
  account.failures, account.failures_in_row, account.lock_level, account.last_attempt_at, account.clock_skew_at,
  active.id AS active_id, active.sealed AS active_sealed,
  pending.id AS pending_id, pending.sealed AS pending_sealed, pending.asked_by, pending.expires_at,
  (SELECT COUNT(*) FROM used_mfa_token WHERE jti = ?) AS jti_used
  FROM account
  LEFT JOIN totp_secret active ON active.id = account.totp_id
  LEFT JOIN totp_secret pending ON pending.id = account.pending_totp_id
  WHERE account.id = ?`;

const RESET = 'failures = 0, failures_in_row = 0, lock_level = 0';
const ACCEPT_STEP = `UPDATE account SET last_used_step = ?, ${RESET}
  WHERE id = ? AND status = 'active' AND totp_id = ? AND last_used_step < ?`;
const ACCEPT_SET = `UPDATE account SET ${RESET} WHERE id = ? AND status = 'active' AND totp_id = ? AND backup_set_id = ?`;
/** A lock that one of five parallel attempts has caused has raised the security stamp by one and left no attempt open. */
const OF_STAMP_OR_LOCKED_MEANWHILE =
  ' AND (security_stamp = ? OR (security_stamp = ? + 1 AND failures > 0 AND last_attempt_id IS NULL))';

const LOCK = `UPDATE account SET lock_level = lock_level + 1, security_stamp = security_stamp + 1, pending_totp_id = NULL,
  last_attempt_id = NULL
  WHERE id = ? AND last_attempt_id = ? AND failures > 0
  AND (failures >= ${FAILURES_TO_LOCK} OR failures_in_row = ${FAILURES_TO_LOCK_PERMANENTLY})`;
const REFUND = `UPDATE account SET failures = failures - 1, failures_in_row = failures_in_row - 1
  WHERE id = ? AND failures > 0 AND last_attempt_id IS NOT NULL`;
const COUNT = 'SELECT COUNT(*) AS number FROM account WHERE lock_level > 0';
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
  readonly active_id: string | null;
  readonly active_sealed: string | null;
  readonly pending_id: string | null;
  readonly pending_sealed: string | null;
  readonly asked_by: string | null;
  readonly expires_at: number | null;
  readonly jti_used: number;
}

/** The part of an account's row that decides a second factor: used step, failures and lock. */
@Injectable()
export class SecondFactorStore {
  private readonly unlocked: string;
  private readonly countUnderLock: string;

  constructor({ lockoutSchedule }: MfaProperties) {
    this.unlocked = unlockedCondition(lockoutSchedule);
    this.countUnderLock = `${COUNT} AND COALESCE(${this.unlocked}, 0) = 0`;
  }

  /** Takes one attempt from the budget; false where the account is locked, or is not as the claim says. */
  async takeAttempt(
    tx: Tx,
    attemptId: string,
    caller: AttemptSubject,
    target: TargetSecret,
    now: number,
  ): Promise<boolean> {
    const conditions: string[] = [` AND ${this.unlocked} AND ${SCHEDULE_IN_FORCE}`];
    const values: Value[] = [now, attemptId, caller.subject, now, now, now, now];
    if (target.kind === 'active') conditions.push(HAS_ACTIVE);
    else {
      conditions.push(HAS_PENDING);
      values.push(target.askedBy, now);
    }
    const ofCaller = subjectConditions(caller);
    return (await tx.change(ATTEMPT + conditions.join('') + ofCaller.sql, [...values, ...ofCaller.values])) === 1;
  }

  async stateOf(tx: Tx, { subject, jti }: AttemptSubject): Promise<FactorState | undefined> {
    const [row] = await tx.rows<StateRow>(STATE, [jti ?? '', subject]);
    return row && stateOfRow(row);
  }

  /** A day after the last failure the next lock is a short one again. */
  async resetLockoutSchedule(tx: Tx, subject: string, now: number): Promise<void> {
    await tx.change(RESET_SCHEDULE, [subject, now]);
  }

  /** Notes when a process whose clock is behind met the lock, so that it ends for that process, too. */
  async recordClockSkew(tx: Tx, subject: string, now: number): Promise<void> {
    await tx.change(RECORD_CLOCK_SKEW, [now, subject, now, now]);
  }

  /** Moves the last used step forward and forgets the failures; false if a code this new was already used. */
  async acceptStep(tx: Tx, caller: AttemptSubject, totpId: string, step: number): Promise<boolean> {
    return this.accept(tx, ACCEPT_STEP, [step, caller.subject, totpId, step], caller);
  }

  /** Forgets the failures, and holds the row until a backup code of this set is used up. */
  async acceptSet(tx: Tx, caller: AttemptSubject, totpId: string, setId: string): Promise<boolean> {
    return this.accept(tx, ACCEPT_SET, [caller.subject, totpId, setId], caller);
  }

  private async accept(
    tx: Tx,
    sql: string,
    values: readonly Value[],
    { securityStamp }: AttemptSubject,
  ): Promise<boolean> {
    return securityStamp === undefined
      ? (await tx.change(sql, values)) === 1
      : (await tx.change(sql + OF_STAMP_OR_LOCKED_MEANWHILE, [...values, securityStamp, securityStamp])) === 1;
  }

  /** Makes the lock that the attempt began a proven one; false if it was not the attempt that began one. */
  async lock(tx: Tx, subject: string, attemptId: string): Promise<boolean> {
    return (await tx.change(LOCK, [subject, attemptId])) === 1;
  }

  /** Not once a lock is proven: it would end early. */
  async refund(tx: Tx, subject: string): Promise<void> {
    await tx.change(REFUND, [subject]);
  }

  /** Accounts with a proven lock in force; reads those alone that were locked since their last success. */
  async countLocked(tx: Tx, now: number): Promise<number> {
    const [row] = await tx.rows<{ readonly number: number }>(this.countUnderLock, [now, now, now]);
    return row?.number ?? 0;
  }

  /** Ends the lock; schedule and failures in a row stay. */
  async unlock(tx: Tx, subject: string): Promise<boolean> {
    return (await tx.change(UNLOCK, [subject])) === 1;
  }
}

/** The rule of `lockOf` as a condition with three values, each of them the present time. */
function unlockedCondition(schedule: readonly number[]): string {
  const lengths = schedule.map((seconds, index) => `WHEN lock_level <= ${index + 1} THEN ${seconds}`);
  const length = `CASE ${lengths.join(' ')} ELSE ${schedule.at(-1) ?? 0} END`;
  return `(failures = 0
    OR (failures < ${FAILURES_TO_LOCK} AND failures_in_row <> ${FAILURES_TO_LOCK_PERMANENTLY})
    OR (failures >= ${FAILURES_TO_LOCK} AND failures_in_row < ${FAILURES_TO_LOCK_PERMANENTLY}
      AND (last_attempt_at <= ? - ${length}
        OR (last_attempt_at > ? + ${TOLERATED_SKEW_SECONDS} AND clock_skew_at <= ? - ${length}))))`;
}

function stateOfRow(row: StateRow): FactorState {
  return {
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
    ...(row.backup_set_id !== null && { backupSetId: row.backup_set_id }),
    ...(row.active_id !== null &&
      row.active_sealed !== null && {
        active: { id: row.active_id, sealed: row.active_sealed },
      }),
    ...(row.pending_id !== null &&
      row.pending_sealed !== null && {
        pending: {
          id: row.pending_id,
          sealed: row.pending_sealed,
          askedBy: row.asked_by ?? '',
          expiresAt: row.expires_at ?? 0,
        },
      }),
  };
}
