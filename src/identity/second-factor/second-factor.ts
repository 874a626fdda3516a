import type { Reason } from '../../kernel/errors/reason.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import type {
  EnrolmentChange,
  AttemptSubject,
  FactorState,
  FailedAttempt,
  RefundedAttempt,
  SealedSecret,
  TargetSecret,
} from './attempts/attempt.js';
import type { NewPasskey, PasskeyResponse } from './passkey/passkey.js';
import type { StepOffset } from './totp/totp.js';
import {
  type BackupCodeState,
  type NamedAuthenticators,
  type NewAuthenticator,
  type PasskeyState,
  type PendingAuthenticator,
  type StoredFactors,
  type TotpState,
} from './factor-state.js';

/** Every kind of second factor, as `mfa_method` and `methods` name it, the strongest first. */
export const FACTOR_IDS = ['passkey', 'totp', 'backup_code'] as const;

export type FactorId = (typeof FACTOR_IDS)[number];

/** The step that is due after a verified password; policy may demand to enrol a factor that does not exist yet. */
export type NextStep = 'none' | 'verify' | 'enrol';

/** The next step of a login, and the methods that it accepts or, to enrol, offers. */
export interface DueStep {
  readonly next: NextStep;
  readonly methods: readonly FactorId[];
  /** True if the enrolment needs a temporary access code. */
  readonly needsAccessCode: boolean;
}

/** A response that a factor has just verified, and the roles of its account at that time. */
export type VerifiedResponse = { readonly roles: readonly string[] } & (
  | { readonly method: 'totp'; readonly amr: 'otp'; readonly offset: StepOffset }
  | { readonly method: 'backup_code'; readonly amr: 'otp'; readonly remaining: number; readonly isLow: boolean }
  | { readonly method: 'passkey'; readonly amr: 'hwk' | 'swk' }
);

/** A proof of the second factor, with the facts that a session records about it. */
export type Proof = VerifiedResponse & {
  /** Epoch seconds. */
  readonly provedAt: number;
};

/** A proof of a pending secret, which is active now. */
export type Confirmation = Proof & {
  /** With `replace`, it replaced the active secrets, so that other sessions of the user must end. */
  readonly change: EnrolmentChange;
};

/**
 * Stores what follows from a proof. It acts through `tx` alone: it may run again from its start, and it may run before it is
 * known whether another attempt has used the code up, which then rolls it back and decides about the error.
 */
export type Complete<P, T> = (tx: Tx, proof: P) => Promise<T>;

/** The judgement of a response before anything is stored. */
export type Verdict<Id extends FactorId = FactorId> = AcceptableVerdict<Id> | FailedAttempt | RefundedAttempt;

/** Not rejected yet: `SecondFactor.accept` uses the response up and decides. */
export interface AcceptableVerdict<Id extends FactorId = FactorId> {
  readonly kind: 'acceptable';
  /** The authenticator that the response fits, for `accept`. */
  readonly match: FactorTypes[Id]['match'];
  /** The response of the acceptance, if it is correct and lacks only its use: what follows need not wait for that. */
  readonly expected?: VerifiedResponse;
}

/** The decision in the transaction of `SecondFactor.accept`, which is rolled back unless the response is verified. */
export type Acceptance =
  | { readonly kind: 'verified'; readonly response: VerifiedResponse }
  | FailedAttempt
  /** The row of the account did not match: another attempt used `step`, or the login or the secret ended. */
  | { readonly kind: 'lost'; readonly step?: number };

/** An attempt to prove the second factor: who submits what, and what it has to prove. */
export interface Attempt<Id extends FactorId = FactorId> extends Submitted<Id> {
  readonly caller: AttemptSubject;
  readonly target: TargetSecret;
}

/** An attempt that is already charged to the budget of its account. */
export interface ChargedAttempt<Id extends FactorId = FactorId> extends Attempt<Id> {
  /** The account after the charge. */
  readonly state: FactorState;
  /** Epoch seconds. */
  readonly chargedAt: number;
}

/** A secret of an authenticator app, and the time step of its code that was submitted. */
export interface TotpMatch {
  readonly secret: SealedSecret;
  readonly step: number;
  readonly offset: StepOffset;
}

/** A passkey, and what its assertion says about it now. */
export interface PasskeyMatch {
  readonly passkey: Pick<NewPasskey, 'id' | 'isBackupEligible'>;
  readonly signCount: number;
  readonly isBackedUp: boolean;
}

/**
 * For every kind: a new authenticator, what its owner is shown once, what its owner may know later, what a user submits, and
 * the authenticator that this fits.
 */
interface FactorTypes {
  readonly totp: {
    readonly authenticator: PendingAuthenticator;
    readonly shown: Uint8Array;
    readonly state: TotpState;
    readonly response: string;
    readonly match: TotpMatch;
  };
  readonly passkey: {
    readonly authenticator: NewPasskey;
    /** False if the credential is registered already. */
    readonly shown: boolean;
    readonly state: PasskeyState;
    readonly response: PasskeyResponse;
    readonly match: PasskeyMatch;
  };
  readonly backup_code: {
    readonly authenticator: NewAuthenticator;
    readonly shown: readonly string[];
    readonly state: BackupCodeState;
    readonly response: string;
    /** The id of the active set. */
    readonly match: string;
  };
}

/**
 * One kind of second factor. `SecondFactors` charges an attempt before `verify` runs, so no kind has a budget of its own.
 * A new kind is one class and its place in `MfaModule` (docs/decisions/0042).
 */
export interface SecondFactor<Id extends FactorId = FactorId> {
  readonly id: Id;
  /** Every reason for which `verify` reports a failed attempt; they are series of `login.mfa.attempts`. */
  readonly failures: readonly Reason[];
  /** Judges the response by the authenticators of the target; stores nothing but the end of a challenge. */
  verify(attempt: ChargedAttempt<Id>): Promise<Verdict<Id>> | Verdict<Id>;
  /** Uses the response up, the row of the account first; what it stores is rolled back unless it returns `verified`. */
  accept(tx: Tx, attempt: ChargedAttempt<Id>, match: FactorTypes[Id]['match']): Promise<Acceptance>;
  /** Stores a new authenticator and returns what its owner is shown once; of a passkey, whether it was stored. */
  enrol(tx: Tx, authenticator: FactorTypes[Id]['authenticator']): Promise<FactorTypes[Id]['shown']>;
  /** Deletes the authenticators of the account that are not in `named`. */
  discard(tx: Tx, subject: string, named: NamedAuthenticators): Promise<void>;
  state(stored: StoredFactors): FactorTypes[Id]['state'];
}

/** The implementation of every kind. */
export type SecondFactorsById = { readonly [Id in FactorId]: SecondFactor<Id> };

/** The response of a user to a second factor, in the normal form of that factor. */
export interface Submitted<Id extends FactorId> {
  readonly method: Id;
  readonly response: FactorTypes[Id]['response'];
}

/** A code or the assertion of a passkey, which proves the second factor if it is correct. */
export type SubmittedProof = { readonly [Id in FactorId]: Submitted<Id> }[FactorId];

/** A typed code in its normal form, and the second factor whose form it has. */
export type SubmittedCode = Exclude<SubmittedProof, { method: 'passkey' }>;
