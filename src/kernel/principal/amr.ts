import { ServiceError } from '../errors/service-error.js';

/**
 * Authentication methods in the order of the specification (RFC 8176): a password, a one-time code, and the keys of a
 * passkey that never leaves its device (`hwk`) or is synced between devices (`swk`).
 */
export const AMR_METHODS = ['pwd', 'otp', 'hwk', 'swk'] as const;
export type Amr = readonly (typeof AMR_METHODS)[number][];

export const PWD: Amr = ['pwd'];
export const PWD_OTP: Amr = ['pwd', 'otp'];

export const ACR_PWD = 'urn:login:acr:pwd';
export const ACR_MFA = 'urn:login:acr:mfa';
export type Acr = typeof ACR_PWD | typeof ACR_MFA;

export function hasOtp(amr: Amr): boolean {
  return amr.includes('otp');
}

/** True for a passkey: a page of another site can collect a code, but not its assertion. */
export function isPhishingResistant(amr: Amr): boolean {
  return amr.includes('hwk') || amr.includes('swk');
}

export function hasSecondFactor(amr: Amr): boolean {
  return hasOtp(amr) || isPhishingResistant(amr);
}

/** Computed from `amr`, never taken from outside. */
export function acrOf(amr: Amr): Acr {
  return hasSecondFactor(amr) ? ACR_MFA : ACR_PWD;
}

/** The form in which `amr` is stored. */
export function amrText(amr: Amr): string {
  return amr.join(' ');
}

/** The known methods of a stored text, in its order. */
export function amrOf(text: string): Amr {
  return text.split(' ').flatMap((method) => AMR_METHODS.find((known) => known === method) ?? []);
}

/** The second factor that a route requires: exactly a one-time code (`otp`), or any second factor (`mfa`). */
export interface RequiredAmr {
  readonly method: 'otp' | 'mfa';
  /** Maximum age of its proof in seconds. */
  readonly maxAge?: number;
}

/** A second factor that is required of a login: a passkey where policy demands one. */
export interface RequiredFactor {
  readonly method: 'passkey' | RequiredAmr['method'];
  /** Maximum age of its proof in seconds. */
  readonly maxAge?: number;
}

/** The requirement that a login does not meet: another method, such as a passkey by policy, or a more recent proof. */
export interface RequiredLogin {
  readonly method: 'pwd' | RequiredFactor['method'];
  /** Maximum age of the proof in seconds. */
  readonly maxAge?: number;
}

/** Ends a request that needs a stronger or more recent login (RFC 9470). */
export class StepUpRequired extends ServiceError {
  constructor(readonly required: RequiredLogin) {
    super('STEP_UP_REQUIRED');
  }
}
