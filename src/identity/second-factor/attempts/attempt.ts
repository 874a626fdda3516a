import type { Reason } from '../../../kernel/errors/reason.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Principal } from '../../../kernel/principal/principal.js';

/** Failures in a row that lock an account (specification, "Authentication limits"). */
export const FAILURES_TO_LOCK = 5;
/** Failures in a row after which no lock ends by itself (NIST SP 800-63B, throttling). */
export const FAILURES_TO_LOCK_PERMANENTLY = 100;
/** Authenticator apps of one account: each multiplies the chance of a guessed code. */
export const MAX_TOTPS = 5;
/** Time after the last failure in which the next lock is longer than the previous one. */
export const SCHEDULE_RESET_SECONDS = 86_400;
/** Tolerated difference between the clocks of several processes; an attempt further ahead means that a clock was set back. */
export const TOLERATED_SKEW_SECONDS = 60;

/** Failed attempts in the row of an account; instants are epoch seconds. */
export interface FailureCounter {
  readonly failures: number;
  readonly failuresInRow: number;
  /** Locks since the last success. */
  readonly lockLevel: number;
  /** Also the start of the lock. */
  readonly lastAttemptAt: number;
  /** When a process whose clock is behind `lastAttemptAt` first encountered the lock. */
  readonly clockSkewAt: number | null;
}

export interface Lock {
  /** Epoch seconds; for a lock that does not end by itself, the time of the next try. */
  readonly until: number;
  readonly endsByItself: boolean;
}

/** Lengths in seconds of the first, second … lock: each is twice as long as the one before, up to the longest. */
export function lockoutScheduleOf(firstSeconds: number, longestSeconds: number): readonly number[] {
  const schedule = [];
  let length = firstSeconds;
  for (; length < longestSeconds; length *= 2) schedule.push(length);
  return [...schedule, longestSeconds];
}

/** The latest lock of an account, in force or not; its id is never that of another lock of the account. */
export interface LastLock {
  readonly id: string;
  readonly isInForce: boolean;
}

/** The lock in force. `SecondFactorStore` has the same rule as SQL, in the statement that takes an attempt. */
export function lockOf(counter: FailureCounter, now: number, schedule: readonly number[]): Lock | undefined {
  const { failures, failuresInRow, lockLevel } = counter;
  const longest = schedule.at(-1) ?? 0;
  const isPermanent =
    (failures >= FAILURES_TO_LOCK && failuresInRow >= FAILURES_TO_LOCK_PERMANENTLY) ||
    (failures > 0 && failuresInRow === FAILURES_TO_LOCK_PERMANENTLY);
  if (isPermanent) return { until: now + longest, endsByItself: false };
  if (failures < FAILURES_TO_LOCK) return undefined;
  const until = startOf(counter, now) + (schedule[Math.max(lockLevel, 1) - 1] ?? longest);
  return now < until ? { until, endsByItself: true } : undefined;
}

/** True if attempts are accepted now, and the next one locks the account if it fails. */
export function isLastAttempt(counter: FailureCounter, now: number, schedule: readonly number[]): boolean {
  if (lockOf(counter, now, schedule)) return false;
  // As the statement that takes an attempt counts: an ended lock begins a new count.
  const failures = counter.failures >= FAILURES_TO_LOCK ? 1 : counter.failures + 1;
  const taken = {
    ...counter,
    failures,
    failuresInRow: counter.failuresInRow + 1,
    lastAttemptAt: now,
    clockSkewAt: null,
  };
  return lockOf(taken, now, schedule) !== undefined;
}

/**
 * The start of the lock. If a clock was set back, the lock starts when a process noticed that, so that it lasts no longer
 * than it should. A process whose clock is ahead of `lastAttemptAt` ignores that time, so that the lock lasts no shorter.
 */
function startOf({ lastAttemptAt, clockSkewAt }: FailureCounter, now: number): number {
  if (!isAhead(lastAttemptAt, now)) return lastAttemptAt;
  return clockSkewAt === null || isAhead(clockSkewAt, now) ? now : clockSkewAt;
}

/** True for an instant so far in the future that a clock was set back, or is wrong in another process. */
export function isAhead(instant: number, now: number): boolean {
  return instant > now + TOLERATED_SKEW_SECONDS;
}

/** The account of an attempt; `securityStamp` and `jti` come from a half-authenticated caller. */
export interface AttemptSubject {
  readonly subject: string;
  readonly securityStamp?: number;
  /** Of the `mfa_token`, which must not have been used. */
  readonly jti?: string;
}

/** The subject of an attempt; for a half-authenticated caller it ends with its security stamp and its `jti`. */
export function attemptSubjectOf(caller: Principal): AttemptSubject {
  const { subject } = caller;
  if (caller.kind === 'full') return { subject };
  const { securityStamp, via, id } = caller;
  return { subject, securityStamp, ...(via === 'token' && { jti: id }) };
}

/**
 * What a response has to prove: an active authenticator, the pending secret that this caller asked for, or with `none`, the
 * right to set up the first authenticator of the account.
 */
export type TargetSecret =
  { readonly kind: 'active' | 'none' } | { readonly kind: 'pending'; readonly requestedBy: string };

export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
}

/**
 * What the owner of a pending secret asked for: the first authenticator of the account, one in place of all other
 * authenticator apps, or one beside them.
 */
export type EnrolmentChange = 'first' | 'replace' | 'add';

export interface PendingSecret extends SealedSecret {
  readonly requestedBy: string;
  readonly change: EnrolmentChange;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** State of an account in the database, before or after an attempt. */
export interface FactorState extends FailureCounter {
  readonly isEnabled: boolean;
  readonly roles: readonly string[];
  readonly securityStamp: number;
  readonly lastUsedStep: number;
  readonly passkeyCount: number;
  /** The secrets of the authenticator apps. */
  readonly active: readonly SealedSecret[];
  readonly pending?: PendingSecret;
  /** The active set of backup codes. */
  readonly backupSetId?: string;
  readonly isJtiUsed: boolean;
}

/** The login or the secret that a code is for does not exist, or no longer. */
export type EndedRejection =
  | { readonly kind: 'ended'; readonly reason: 'no_account' | 'disabled' | 'epoch' | 'jti' }
  | { readonly kind: 'no_secret' };

/** Why no attempt is charged. */
export type AttemptRejection = { readonly kind: 'locked'; readonly lock: Lock } | EndedRejection;

/** Why a verified response is rejected, and the event that reports it. */
export interface AttemptFailure {
  readonly event: 'MFA_FAILED' | 'MFA_REPLAY' | 'PASSKEY_COUNTER';
  readonly reason: Reason;
  /** Details of the security event. */
  readonly detail?: Readonly<Record<string, string>>;
}

/** A charged attempt whose response is wrong or used. */
export type FailedAttempt = { readonly kind: 'failed' } & AttemptFailure;

/** A charged attempt whose secret or login ended in the meantime. */
export interface RefundedAttempt {
  readonly kind: 'refunded';
  readonly rejection: EndedRejection;
}

export const WRONG_CODE = { kind: 'failed', event: 'MFA_FAILED', reason: 'wrong_code' } as const;
export const REPLAYED = { kind: 'failed', event: 'MFA_REPLAY', reason: 'used_step' } as const;

export const NO_SECRET: EndedRejection = { kind: 'no_secret' };
export const NO_ACCOUNT: EndedRejection = { kind: 'ended', reason: 'no_account' };
export const ACTIVE_SECRET: TargetSecret = { kind: 'active' };

/**
 * Why no attempt can be charged, or without a `target`, why the caller may not act; undefined if nothing prevents it. The
 * order is that of the contract: lock, security stamp and `jti`, code.
 */
export function rejectionOf(
  state: FactorState | undefined,
  caller: AttemptSubject,
  target: TargetSecret | undefined,
  now: number,
  schedule: readonly number[],
): AttemptRejection | undefined {
  if (!state) return NO_ACCOUNT;
  const lock = lockOf(state, now, schedule);
  return lock ? { kind: 'locked', lock } : endedRejection(state, caller, target, now);
}

/** Like `rejectionOf` without the lock, which a charged attempt does not check again. */
export function endedRejection(
  state: FactorState | undefined,
  caller: AttemptSubject,
  target: TargetSecret | undefined,
  now: number,
): EndedRejection | undefined {
  if (!state) return NO_ACCOUNT;
  if (!state.isEnabled) return { kind: 'ended', reason: 'disabled' };
  if (caller.securityStamp !== undefined && caller.securityStamp !== state.securityStamp)
    return { kind: 'ended', reason: 'epoch' };
  if (state.isJtiUsed) return { kind: 'ended', reason: 'jti' };
  return !target || hasTarget(state, target, now) ? undefined : NO_SECRET;
}

/** True if the account has an active authenticator, or that pending secret; for `none`, if it has no authenticator. */
function hasTarget(state: FactorState, target: TargetSecret, now: number): boolean {
  if (target.kind === 'pending') return pendingSecretOf(state, target.requestedBy, now) !== undefined;
  return hasAuthenticator(state) === (target.kind === 'active');
}

export function hasAuthenticator({ active, passkeyCount }: FactorState): boolean {
  return active.length + passkeyCount > 0;
}

/** The pending secret that this session or `mfa_token` asked for. */
export function pendingSecretOf({ pending }: FactorState, requestedBy: string, now: number): PendingSecret | undefined {
  return pending?.requestedBy === requestedBy && now < pending.expiresAt ? pending : undefined;
}

/** The error that the caller receives. */
export function rejectionError(rejection: AttemptRejection, caller: AttemptSubject, now: number): ServiceError {
  if (rejection.kind !== 'locked') return endedError(rejection, caller);
  return new ServiceError('MFA_LOCKED', { retryAfterSeconds: Math.max(1, rejection.lock.until - now) });
}

export function endedError(rejection: EndedRejection, { jti }: AttemptSubject): ServiceError {
  if (rejection.kind === 'no_secret') return new ServiceError('MFA_STATE_CONFLICT', { reason: 'no such secret' });
  const { reason } = rejection;
  return jti === undefined
    ? new ServiceError('INVALID_TOKEN', { reason })
    : new ServiceError('MFA_TOKEN_INVALID', { reason });
}

export const OF_STAMP = ' AND security_stamp = ?';
const JTI_UNUSED = ' AND NOT EXISTS (SELECT 1 FROM used_mfa_token WHERE jti = ?)';

/** Conditions on the account's row that hold while the caller may still act, with their values. */
export function subjectConditions({ securityStamp, jti }: AttemptSubject): {
  readonly sql: string;
  readonly values: readonly (string | number)[];
} {
  return {
    sql: (securityStamp === undefined ? '' : OF_STAMP) + (jti === undefined ? '' : JTI_UNUSED),
    values: [securityStamp, jti].filter((value) => value !== undefined),
  };
}
