import type { Reason } from '../../errors/reason.js';
import { ServiceError } from '../../errors/service-error.js';
import type { StepOffset } from '../totp/totp.js';
import { type FailureCounter, type Lock, lockOf } from './lock.js';

/** The account an attempt is made for; `securityStamp` and `jti` come from a half-authenticated caller. */
export interface AttemptSubject {
  readonly subject: string;
  readonly securityStamp?: number;
  /** Of the `mfa_token`, which must not have been used. */
  readonly jti?: string;
}

/** Which secret the code is for: the active one, or the pending one this caller asked for. */
export type TargetSecret = { readonly kind: 'active' } | { readonly kind: 'pending'; readonly askedBy: string };

export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
}

export interface PendingSecret extends SealedSecret {
  readonly askedBy: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** What the database says of an account before or after an attempt. */
export interface FactorState extends FailureCounter {
  readonly isEnabled: boolean;
  readonly roles: readonly string[];
  readonly securityStamp: number;
  readonly lastUsedStep: number;
  readonly active?: SealedSecret;
  readonly pending?: PendingSecret;
  /** The live set of backup codes. */
  readonly backupSetId?: string;
  readonly isJtiUsed: boolean;
}

export type Refusal =
  | { readonly kind: 'locked'; readonly lock: Lock }
  | { readonly kind: 'ended'; readonly reason: 'no_account' | 'disabled' | 'epoch' | 'jti' }
  | { readonly kind: 'no_secret' };

/** Why a code that was verified is rejected, and the event that reports it. */
export interface Failure {
  readonly event: 'MFA_FAILED' | 'MFA_REPLAY';
  readonly reason: Reason;
}

/** How a charged attempt ended. */
export type Outcome<T> =
  /** `offset` is that of the time step whose code it was. */
  | { readonly kind: 'done'; readonly result: T; readonly offset?: StepOffset }
  | ({ readonly kind: 'failed' } & Failure)
  /** The secret or the login that the code was for ended in the meantime. */
  | { readonly kind: 'refunded'; readonly refusal: Refusal };

export const WRONG_CODE = { kind: 'failed', event: 'MFA_FAILED', reason: 'wrong_code' } as const;
export const REPLAYED = { kind: 'failed', event: 'MFA_REPLAY', reason: 'used_step' } as const;

export const NO_SECRET: Refusal = { kind: 'no_secret' };
export const NO_ACCOUNT: Refusal = { kind: 'ended', reason: 'no_account' };
export const ACTIVE_SECRET: TargetSecret = { kind: 'active' };

/**
 * Why no attempt is to be had, or where the claim asks for no secret, why it does not hold; undefined where all is well.
 * The order is that of the contract: lock, security stamp and `jti`, code.
 */
export function refusalOf(
  state: FactorState | undefined,
  caller: AttemptSubject,
  target: TargetSecret | undefined,
  now: number,
  schedule: readonly number[],
): Refusal | undefined {
  if (!state) return { kind: 'ended', reason: 'no_account' };
  const lock = lockOf(state, now, schedule);
  return lock ? { kind: 'locked', lock } : endedRefusal(state, caller, target, now);
}

/** The same without the lock, which a paid attempt does not ask for again. */
export function endedRefusal(
  state: FactorState | undefined,
  caller: AttemptSubject,
  target: TargetSecret | undefined,
  now: number,
): Exclude<Refusal, { readonly kind: 'locked' }> | undefined {
  if (!state) return { kind: 'ended', reason: 'no_account' };
  if (!state.isEnabled) return { kind: 'ended', reason: 'disabled' };
  if (caller.securityStamp !== undefined && caller.securityStamp !== state.securityStamp)
    return { kind: 'ended', reason: 'epoch' };
  if (state.isJtiUsed) return { kind: 'ended', reason: 'jti' };
  return !target || secretOf(state, target, now) ? undefined : { kind: 'no_secret' };
}

/** The secret a code is compared with. */
export function secretOf(state: FactorState, target: TargetSecret, now: number): SealedSecret | undefined {
  if (target.kind === 'active') return state.active;
  const { pending } = state;
  return pending?.askedBy === target.askedBy && now < pending.expiresAt ? pending : undefined;
}

/** The error that the caller gets. */
export function refusalError(refusal: Refusal, caller: AttemptSubject, now: number): ServiceError {
  switch (refusal.kind) {
    case 'locked':
      return new ServiceError('MFA_LOCKED', { retryAfterSeconds: Math.max(1, refusal.lock.until - now) });
    case 'no_secret':
      return new ServiceError('MFA_STATE_CONFLICT', { reason: 'no such secret' });
    case 'ended':
      return caller.jti === undefined
        ? new ServiceError('INVALID_TOKEN', { reason: refusal.reason })
        : new ServiceError('MFA_TOKEN_INVALID', { reason: refusal.reason });
  }
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
