import { ServiceError } from '../errors/service-error.js';

/**
 * Authentication methods in the order of the specification (RFC 8176): a password, a one-time code, the keys of a passkey that
 * never leaves its device (`hwk`) or is synced between devices (`swk`), and `mfa` for two factors that the other values do not
 * show: a passkey whose authenticator has verified its user.
 */
export const AMR_METHODS = ['pwd', 'otp', 'hwk', 'swk', 'mfa'] as const;
export type Amr = readonly (typeof AMR_METHODS)[number][];

export const PWD: Amr = ['pwd'];
export const PWD_OTP: Amr = ['pwd', 'otp'];

export const ACR_PWD = 'urn:login:acr:pwd';
export const ACR_MFA = 'urn:login:acr:mfa';
export type Acr = typeof ACR_PWD | typeof ACR_MFA;
/** Phishing-resistant: requests may name it, and ID tokens state it; `acrOf` states the less exact `ACR_MFA` for the same login. */
export const ACR_PHR = 'urn:login:acr:phr';
/** The classes that a request may name, the weakest first. */
export const REQUESTABLE_ACRS = [ACR_PWD, ACR_MFA, ACR_PHR] as const;
export type RequestableAcr = (typeof REQUESTABLE_ACRS)[number];

export function hasOtp(amr: Amr): boolean {
  return amr.includes('otp');
}

/** True for a passkey: a page of another site can collect a code, but not its assertion. */
export function isPhishingResistant(amr: Amr): boolean {
  return amr.includes('hwk') || amr.includes('swk');
}

/** A passkey alone is one factor unless its authenticator has verified its user. */
export function hasSecondFactor(amr: Amr): boolean {
  return hasOtp(amr) || amr.includes('mfa') || (isPhishingResistant(amr) && amr.includes('pwd'));
}

/** `amr` of a login whose second step proves another factor. */
export function amrOfLogin(first: Amr, second: Amr[number]): Amr {
  return AMR_METHODS.filter((method) => method === second || first.includes(method));
}

/**
 * `amr` of a session after a proof of a second factor, which replaces an earlier one. In a session that began with a passkey,
 * `mfa` takes the place of that passkey: how recent it is, is not known any more.
 */
export function amrAfterStepUp(before: Amr, proof: Amr[number]): Amr {
  const beganWithPasskey = !before.includes('pwd') && (isPhishingResistant(before) || before.includes('mfa'));
  return beganWithPasskey ? [proof, 'mfa'] : [...PWD, proof];
}

const MEETS: Readonly<Record<RequestableAcr, (amr: Amr) => boolean>> = {
  [ACR_PWD]: () => true,
  [ACR_MFA]: hasSecondFactor,
  [ACR_PHR]: (amr) => isPhishingResistant(amr) && hasSecondFactor(amr),
};

export function meetsAcr(amr: Amr, acr: RequestableAcr): boolean {
  return MEETS[acr](amr);
}

/** The class in access tokens; computed from `amr`, never taken from outside. */
export function acrOf(amr: Amr): Acr {
  return hasSecondFactor(amr) ? ACR_MFA : ACR_PWD;
}

/** The strongest class that a login meets. */
export function strongestAcr(amr: Amr): RequestableAcr {
  return REQUESTABLE_ACRS.findLast((acr) => meetsAcr(amr, acr)) ?? ACR_PWD;
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
