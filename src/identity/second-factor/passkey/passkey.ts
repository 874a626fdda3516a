import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { hashSecret } from '../../session/session.js';

/** Passkeys of one account. */
export const MAX_PASSKEYS = 20;
/** Time in which the response to a challenge is accepted. */
export const CHALLENGE_SECONDS = 300;
/** Longest credential id (WebAuthn level 3, section 5.8.6). */
export const MAX_CREDENTIAL_ID_BYTES = 1023;

/** A verified passkey to be stored; binary members are Base64url. */
export interface NewPasskey {
  readonly id: string;
  readonly subject: string;
  readonly credentialId: string;
  /** COSE key (RFC 9052 section 7). */
  readonly publicKey: string;
  readonly algorithm: number;
  readonly signCount: number;
  /** True for a passkey that may be synced to other devices (WebAuthn level 3, section 6.1.3). */
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  readonly aaguid: string;
  readonly transports: readonly AuthenticatorTransport[];
  readonly name: string | undefined;
  /** Epoch seconds. */
  readonly createdAt: number;
}

/**
 * What a new passkey is to its account: its first authenticator, a further one, or the first passkey where policy demands
 * one to complete a login.
 */
export type PasskeyPlace = 'first' | 'further' | 'demanded';

/** The response to creation options, with transports that are known. */
export type Registration = Omit<RegistrationResponseJSON, 'response'> & {
  readonly response: Omit<RegistrationResponseJSON['response'], 'transports'> & {
    readonly transports?: AuthenticatorTransport[];
  };
};

/** The assertion of a passkey, and the session or `mfa_token` that asked for its challenge. */
export interface PasskeyResponse {
  readonly assertion: AuthenticationResponseJSON;
  readonly requestedBy: string;
}

/** Hash under which a credential id is looked up: ids have up to 1023 bytes. */
export function credentialHash(credentialId: string): string {
  return hashSecret(credentialId);
}

/** RFC 8176: proof of possession of a key in hardware, or of one that is synced and therefore in software. */
export function amrOfPasskey({ isBackupEligible }: Pick<NewPasskey, 'isBackupEligible'>): 'hwk' | 'swk' {
  return isBackupEligible ? 'swk' : 'hwk';
}
