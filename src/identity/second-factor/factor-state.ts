import type { AttemptSubject, EnrolmentChange, FailureCounter, Lock } from './attempts/attempt.js';

/** Kinds of authenticators, of which an account may have several with names. */
export const AUTHENTICATOR_TYPES = ['passkey', 'totp'] as const;

export type AuthenticatorType = (typeof AUTHENTICATOR_TYPES)[number];

/** Longest name of an authenticator, in characters; length of the columns. */
export const MAX_AUTHENTICATOR_NAME_LENGTH = 64;

/** An active authenticator as its owner sees it; instants are epoch seconds. */
export interface Authenticator {
  readonly id: string;
  readonly type: AuthenticatorType;
  /** Given by the owner, or by the metadata of its model. */
  readonly name?: string;
  readonly createdAt: number;
  readonly lastUsedAt?: number;
  /** For a passkey: whether it may be synced to other devices. */
  readonly isSynced?: boolean;
}

/** An authenticator to be stored; it takes effect when the row of the account names or counts it. */
export interface NewAuthenticator {
  readonly id: string;
  readonly subject: string;
}

/** An authenticator that has to be confirmed; instants are epoch seconds. */
export interface PendingAuthenticator extends NewAuthenticator {
  /** The session or `mfa_token` that alone may see and confirm it. */
  readonly requestedBy: string;
  readonly change: EnrolmentChange;
  readonly name: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The authenticators that the row of an account names or counts; all others are obsolete. */
export interface NamedAuthenticators {
  readonly totpCount: number;
  readonly passkeyCount: number;
  readonly pendingTotpId: string | null;
  readonly backupSetId: string | null;
}

/** The stored facts about the second factors of an account, read in one statement; instants are epoch seconds. */
export interface StoredFactors extends FailureCounter {
  /** When the first of the active authenticator apps, and of the passkeys, was added. */
  readonly totpSince: number | null;
  readonly passkeySince: number | null;
  readonly pendingUntil: number | null;
  readonly pendingRequestedBy: string | null;
  readonly backupCodesAt: number | null;
  /** Number of unused codes in the active set. */
  readonly remaining: number;
}

/** Facts about TOTP secrets that the owner of an account may know; instants are epoch seconds. */
export interface TotpState {
  readonly state: 'none' | 'pending' | 'active';
  readonly activatedAt?: number;
  /** A secret that waits for its first code from the session or `mfa_token` that asked for it; also beside an active one. */
  readonly pending?: { readonly until: number; readonly requestedBy: string };
}

/** Facts about passkeys that the owner of an account may know; `since` in epoch seconds. */
export interface PasskeyState {
  readonly since?: number;
}

/** Facts about backup codes that the owner of an account may know; `generatedAt` in epoch seconds. */
export interface BackupCodeState {
  readonly remaining: number;
  readonly generatedAt?: number;
  readonly isLow: boolean;
}

/** A request for a new secret. */
export interface SetupRequest extends AttemptSubject {
  /** The session or `mfa_token` that alone may see and confirm the pending secret. */
  readonly requestedBy: string;
  /** Purpose of the secret; by default, it becomes the first authenticator of the account. */
  readonly change?: EnrolmentChange;
  /** The security stamp of the account when the request was authorized; another one means other authenticators. */
  readonly ofStamp?: number;
  /** The name that the owner gives the authenticator. */
  readonly name?: string;
  /** Keeps a pending secret that the same session or `mfa_token` asked for in the same way. */
  readonly keepsOwn?: boolean;
}

/** Facts about all second factors that the owner of an account may know, and the lock that they share. */
export interface EnrolmentState extends TotpState {
  readonly hasPasskey: boolean;
  readonly hasTotp: boolean;
  readonly backupCodes: BackupCodeState;
  readonly lock?: Lock;
}

/** The second factor of an account, and what policy demands of it. */
export interface OwnFactorState {
  readonly factors: EnrolmentState;
  /** The oldest first. */
  readonly authenticators: readonly Authenticator[];
  /** The types of authenticators that can be added. */
  readonly enrolmentMethods: readonly AuthenticatorType[];
  readonly isDemanded: boolean;
  /** True if only a passkey completes a login. */
  readonly isPasskeyDemanded: boolean;
  /** When policy begins to demand one, in epoch seconds; undefined if it already does, or never will. */
  readonly demandedFrom: number | undefined;
  /** When policy begins to demand a passkey, as `demandedFrom`. */
  readonly passkeyFrom: number | undefined;
}
