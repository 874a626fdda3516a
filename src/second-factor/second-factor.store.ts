import { Injectable } from '@nestjs/common';
import { rolesOf } from '../account/role-names.js';
import type { Tx, Value } from '../persistence/unit-of-work.js';
import type { Against, Claim, Standing } from './attempts/attempt.js';
import { claimConditions } from './attempts/claim-conditions.js';
import { FAILURES_FOR_GOOD, FAILURES_TO_LOCK, LADDER_MEMORY_SECONDS, TOLERATED_SKEW_SECONDS } from './attempts/lock.js';
import { MfaProperties } from './mfa.properties.js';

const ATTEMPT = `UPDATE account SET
  failures = CASE WHEN failures >= ${FAILURES_TO_LOCK} THEN 1 ELSE failures + 1 END,
  failures_in_row = failures_in_row + 1, last_attempt_at = ?, last_attempt_id = ?, lock_seen_at = NULL
  WHERE id = ? AND status = 'active'`;
const LADDER_IN_FORCE = `(lock_level = 0 OR last_attempt_at > ? - ${LADDER_MEMORY_SECONDS})`;
const FORGET_LADDER = `UPDATE account SET lock_level = 0
  WHERE id = ? AND lock_level > 0 AND last_attempt_at <= ? - ${LADDER_MEMORY_SECONDS}`;
const SEE_LOCK = `UPDATE account SET lock_seen_at = ?
  WHERE id = ? AND failures >= ${FAILURES_TO_LOCK} AND last_attempt_at > ? + ${TOLERATED_SKEW_SECONDS}
  AND (lock_seen_at IS NULL OR lock_seen_at > ? + ${TOLERATED_SKEW_SECONDS})`;

const HAS_ACTIVE = ' AND totp_id IS NOT NULL';
const HAS_PENDING = ` AND EXISTS (SELECT 1 FROM totp_secret
  WHERE totp_secret.id = account.pending_totp_id AND asked_by = ? AND expires_at > ?)`;

const STANDING = `SELECT account.status, account.roles, account.epoch, account.last_used_step, account.backup_set_id,
  account.failures, account.failures_in_row, account.lock_level, account.last_attempt_at, account.lock_seen_at,
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
/** A lock that one of five parallel attempts has caused has raised the epoch by one and left no attempt open. */
const OF_EPOCH_OR_LOCKED_MEANWHILE = ' AND (epoch = ? OR (epoch = ? + 1 AND failures > 0 AND last_attempt_id IS NULL))';

const LOCK = `UPDATE account SET lock_level = lock_level + 1, epoch = epoch + 1, pending_totp_id = NULL,
  last_attempt_id = NULL
  WHERE id = ? AND last_attempt_id = ? AND failures > 0
  AND (failures >= ${FAILURES_TO_LOCK} OR failures_in_row = ${FAILURES_FOR_GOOD})`;
const GIVE_BACK = `UPDATE account SET failures = failures - 1, failures_in_row = failures_in_row - 1
  WHERE id = ? AND failures > 0 AND last_attempt_id IS NOT NULL`;
const COUNT = 'SELECT COUNT(*) AS number FROM account WHERE lock_level > 0';
const UNLOCK = 'UPDATE account SET failures = 0 WHERE id = ? AND failures > 0';

interface StandingRow {
  readonly status: string;
  readonly roles: string;
  readonly epoch: number;
  readonly last_used_step: number;
  readonly backup_set_id: string | null;
  readonly failures: number;
  readonly failures_in_row: number;
  readonly lock_level: number;
  readonly last_attempt_at: number;
  readonly lock_seen_at: number | null;
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

  constructor({ lockLadder }: MfaProperties) {
    this.unlocked = unlockedCondition(lockLadder);
    this.countUnderLock = `${COUNT} AND COALESCE(${this.unlocked}, 0) = 0`;
  }

  /** Takes one attempt from the budget; false where the account is locked, or is not as the claim says. */
  async takeAttempt(tx: Tx, attemptId: string, claim: Claim, against: Against, now: number): Promise<boolean> {
    const conditions: string[] = [` AND ${this.unlocked} AND ${LADDER_IN_FORCE}`];
    const values: Value[] = [now, attemptId, claim.subject, now, now, now, now];
    if (against.kind === 'active') conditions.push(HAS_ACTIVE);
    else {
      conditions.push(HAS_PENDING);
      values.push(against.askedBy, now);
    }
    const ofClaim = claimConditions(claim);
    return (await tx.change(ATTEMPT + conditions.join('') + ofClaim.sql, [...values, ...ofClaim.values])) === 1;
  }

  async standing(tx: Tx, { subject, jti }: Claim): Promise<Standing | undefined> {
    const [row] = await tx.rows<StandingRow>(STANDING, [jti ?? '', subject]);
    return row && standingOf(row);
  }

  /** A day after the last failure the next lock is a short one again. */
  async forgetLadder(tx: Tx, subject: string, now: number): Promise<void> {
    await tx.change(FORGET_LADDER, [subject, now]);
  }

  /** Notes when a process whose clock is behind met the lock, so that it ends for that process, too. */
  async seeLock(tx: Tx, subject: string, now: number): Promise<void> {
    await tx.change(SEE_LOCK, [now, subject, now, now]);
  }

  /** Moves the last used step forward and forgets the failures; false if a code this new was already used. */
  async acceptStep(tx: Tx, claim: Claim, totpId: string, step: number): Promise<boolean> {
    return this.accept(tx, ACCEPT_STEP, [step, claim.subject, totpId, step], claim);
  }

  /** Forgets the failures, and holds the row until a backup code of this set is used up. */
  async acceptSet(tx: Tx, claim: Claim, totpId: string, setId: string): Promise<boolean> {
    return this.accept(tx, ACCEPT_SET, [claim.subject, totpId, setId], claim);
  }

  private async accept(tx: Tx, sql: string, values: readonly Value[], { epoch }: Claim): Promise<boolean> {
    return epoch === undefined
      ? (await tx.change(sql, values)) === 1
      : (await tx.change(sql + OF_EPOCH_OR_LOCKED_MEANWHILE, [...values, epoch, epoch])) === 1;
  }

  /** Makes the lock that the attempt began a proven one; false if it was not the attempt that began one. */
  async lock(tx: Tx, subject: string, attemptId: string): Promise<boolean> {
    return (await tx.change(LOCK, [subject, attemptId])) === 1;
  }

  /** Not once a lock is proven: it would end early. */
  async giveBack(tx: Tx, subject: string): Promise<void> {
    await tx.change(GIVE_BACK, [subject]);
  }

  /** Accounts with a proven lock in force; reads those alone that were locked since their last success. */
  async countLocked(tx: Tx, now: number): Promise<number> {
    const [row] = await tx.rows<{ readonly number: number }>(this.countUnderLock, [now, now, now]);
    return row?.number ?? 0;
  }

  /** Ends the lock; ladder and failures in a row stay. */
  async unlock(tx: Tx, subject: string): Promise<boolean> {
    return (await tx.change(UNLOCK, [subject])) === 1;
  }
}

/** The rule of `lockOf` as a condition with three values, each of them the present time. */
function unlockedCondition(ladder: readonly number[]): string {
  const lengths = ladder.map((seconds, index) => `WHEN lock_level <= ${index + 1} THEN ${seconds}`);
  const length = `CASE ${lengths.join(' ')} ELSE ${ladder.at(-1) ?? 0} END`;
  return `(failures = 0
    OR (failures < ${FAILURES_TO_LOCK} AND failures_in_row <> ${FAILURES_FOR_GOOD})
    OR (failures >= ${FAILURES_TO_LOCK} AND failures_in_row < ${FAILURES_FOR_GOOD}
      AND (last_attempt_at <= ? - ${length}
        OR (last_attempt_at > ? + ${TOLERATED_SKEW_SECONDS} AND lock_seen_at <= ? - ${length}))))`;
}

function standingOf(row: StandingRow): Standing {
  return {
    isEnabled: row.status === 'active',
    roles: rolesOf(row.roles),
    epoch: row.epoch,
    lastUsedStep: row.last_used_step,
    failures: row.failures,
    failuresInRow: row.failures_in_row,
    lockLevel: row.lock_level,
    lastAttemptAt: row.last_attempt_at,
    lockSeenAt: row.lock_seen_at,
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
