import { ServiceError } from '../../errors/service-error.js';
import { type FailureCounter, type Lock, lockOf } from './lock.js';

/** By what a caller comes to show a code; `epoch` and `jti` are those of a half-authenticated one. */
export interface Claim {
  readonly subject: string;
  readonly epoch?: number;
  /** Of the `mfa_token`, which must not have been used. */
  readonly jti?: string;
}

/** Which secret the code is for: the active one, or the pending one this caller asked for. */
export type Against = { readonly kind: 'active' } | { readonly kind: 'pending'; readonly askedBy: string };

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
export interface Standing extends FailureCounter {
  readonly isEnabled: boolean;
  readonly roles: readonly string[];
  readonly epoch: number;
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

/**
 * Why no attempt is to be had, or where the claim asks for no secret, why it does not hold; undefined where all is well.
 * The order is that of the contract: lock, epoch and `jti`, code.
 */
export function refusalOf(
  standing: Standing | undefined,
  claim: Claim,
  against: Against | undefined,
  now: number,
  ladder: readonly number[],
): Refusal | undefined {
  if (!standing) return { kind: 'ended', reason: 'no_account' };
  const lock = lockOf(standing, now, ladder);
  return lock ? { kind: 'locked', lock } : endOf(standing, claim, against, now);
}

/** The same without the lock, which a paid attempt does not ask for again. */
export function endOf(
  standing: Standing | undefined,
  claim: Claim,
  against: Against | undefined,
  now: number,
): Exclude<Refusal, { readonly kind: 'locked' }> | undefined {
  if (!standing) return { kind: 'ended', reason: 'no_account' };
  if (!standing.isEnabled) return { kind: 'ended', reason: 'disabled' };
  if (claim.epoch !== undefined && claim.epoch !== standing.epoch) return { kind: 'ended', reason: 'epoch' };
  if (standing.isJtiUsed) return { kind: 'ended', reason: 'jti' };
  return !against || secretOf(standing, against, now) ? undefined : { kind: 'no_secret' };
}

/** The secret a code is compared with. */
export function secretOf(standing: Standing, against: Against, now: number): SealedSecret | undefined {
  if (against.kind === 'active') return standing.active;
  const { pending } = standing;
  return pending?.askedBy === against.askedBy && now < pending.expiresAt ? pending : undefined;
}

/** What the caller is told. */
export function refused(refusal: Refusal, claim: Claim, now: number): ServiceError {
  switch (refusal.kind) {
    case 'locked':
      return new ServiceError('MFA_LOCKED', { retryAfterSeconds: Math.max(1, refusal.lock.until - now) });
    case 'no_secret':
      return new ServiceError('MFA_STATE_CONFLICT', { reason: 'no such secret' });
    case 'ended':
      return claim.jti === undefined
        ? new ServiceError('INVALID_TOKEN', { challenge: 'Bearer', reason: refusal.reason })
        : new ServiceError('MFA_TOKEN_INVALID', { reason: refusal.reason });
  }
}
