import { ServiceError } from '../errors/service-error.js';

/**
 * Authentication methods in the order of the specification (RFC 8176): a password, a one-time code, and the keys of a
 * passkey that never leaves its device (`hwk`) or is synced between devices (`swk`).
 */
export const AMR_METHODS = ['pwd', 'otp', 'hwk', 'swk'] as const;
export type AmrMethod = (typeof AMR_METHODS)[number];
export type Amr = readonly AmrMethod[];

export const PWD: Amr = ['pwd'];
export const PWD_OTP: Amr = ['pwd', 'otp'];
export const PWD_HWK: Amr = ['pwd', 'hwk'];
export const PWD_SWK: Amr = ['pwd', 'swk'];

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

/** What a route asks of the login behind a request: exactly a one-time code (`otp`), or any second factor (`mfa`). */
export interface RequiredAmr {
  readonly method: 'otp' | 'mfa';
  /** Longest time since the second factor, in seconds. */
  readonly maxAge?: number;
}

/** A second factor that is required of a login: a passkey where policy demands one. */
export interface RequiredFactor {
  readonly method: 'passkey' | RequiredAmr['method'];
  /** Longest time since the second factor, in seconds. */
  readonly maxAge?: number;
}

/** What a login lacks: another method, such as a passkey where policy demands one, or a more recent proof. */
export interface RequiredLogin {
  readonly method: 'pwd' | RequiredFactor['method'];
  /** Seconds. */
  readonly maxAge?: number;
}

/** Ends a request that needs a stronger or more recent login (RFC 9470). */
export class StepUpRequired extends ServiceError {
  constructor(readonly required: RequiredLogin) {
    super('STEP_UP_REQUIRED');
  }
}
