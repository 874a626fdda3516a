import type { Reason } from '../errors/reason.js';
import type { Tx } from '../persistence/unit-of-work.js';
import type { AttemptSubject, FactorState, Outcome } from './attempts/attempt.js';
import type { FailureCounter } from './attempts/lock.js';
import type { StepOffset } from './totp/totp.js';

/** Every kind of second factor, as `mfa_method` and `methods` name it. */
export const FACTOR_IDS = ['totp', 'backup_code'] as const;

export type FactorId = (typeof FACTOR_IDS)[number];

/** A second factor that was just verified, and the roles its account has at that time. */
export type Proof = { readonly roles: readonly string[] } & (
  | { readonly method: 'totp'; readonly offset: StepOffset }
  | { readonly method: 'backup_code'; readonly remaining: number; readonly isLow: boolean }
);

/** Stores what follows from a proof; it may run again from its start, so it acts through `tx` alone. */
export type Complete<P, T> = (tx: Tx, proof: P) => Promise<T>;

/** An attempt that is already charged to the budget of its account. */
export interface ChargedAttempt {
  readonly caller: AttemptSubject;
  /** The account after the charge. */
  readonly state: FactorState;
  /** What the user presented, in the normal form of the factor. */
  readonly response: string;
}

/** An authenticator to be stored; it takes effect when the row of the account names its id. Instants are epoch seconds. */
export interface NewAuthenticator {
  readonly id: string;
  readonly subject: string;
  /** The session or `mfa_token` that alone may see and confirm it. */
  readonly askedBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The authenticators that the row of an account names; all others are left over. */
export interface NamedAuthenticators {
  readonly totpId: string | null;
  readonly pendingTotpId: string | null;
  readonly backupSetId: string | null;
}

/** What is stored about the second factors of an account, read in one statement; instants are epoch seconds. */
export interface StoredFactors extends FailureCounter {
  readonly activatedAt: number | null;
  readonly pendingUntil: number | null;
  readonly pendingAskedBy: string | null;
  readonly backupCodesAt: number | null;
  /** Codes of the live set. */
  readonly remaining: number;
}

/**
 * One kind of second factor. `SecondFactors` charges an attempt before `verify` runs, so no kind has a budget of its own.
 * A new kind is one class and its place in the list of `MfaModule` (docs/decisions/0042).
 */
export interface SecondFactor<Enrolled = unknown, State = unknown> {
  readonly id: FactorId;
  /** RFC 8176. */
  readonly amr: 'otp';
  /** Every reason for which `verify` reports a failed attempt; they are series of `login.mfa.attempts`. */
  readonly failures: readonly Reason[];
  /**
   * Verifies the response against the active authenticators, and uses it up in one transaction with what `complete`
   * stores: both or neither.
   */
  verify<T>(attempt: ChargedAttempt, complete: Complete<Proof, T>): Promise<Outcome<T>>;
  /** Stores a new authenticator and returns what its owner is shown once. */
  enrol(tx: Tx, authenticator: NewAuthenticator): Promise<Enrolled>;
  /** Deletes the authenticators of the account that are not in `named`. */
  discard(tx: Tx, subject: string, named: NamedAuthenticators): Promise<void>;
  /** What the owner of the account may know about this factor. */
  state(stored: StoredFactors): State;
}
