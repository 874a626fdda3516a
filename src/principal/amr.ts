import { ServiceError } from '../errors/service-error.js';

/** Authentication methods in the order of the specification (RFC 8176). */
export type Amr = readonly ('pwd' | 'otp')[];

export const PWD: Amr = ['pwd'];
export const PWD_OTP: Amr = ['pwd', 'otp'];

export const ACR_PWD = 'urn:login:acr:pwd';
export const ACR_MFA = 'urn:login:acr:mfa';
export type Acr = typeof ACR_PWD | typeof ACR_MFA;

export function hasOtp(amr: Amr): boolean {
  return amr.includes('otp');
}

/** Computed from `amr`, never taken from outside. */
export function acrOf(amr: Amr): Acr {
  return hasOtp(amr) ? ACR_MFA : ACR_PWD;
}

/** The form in which `amr` is stored. */
export function amrText(amr: Amr): string {
  return amr.join(' ');
}

export function amrOf(text: string): Amr {
  return text.split(' ').filter((method) => method === 'pwd' || method === 'otp');
}

/** What a route asks of the login behind a request. */
export interface RequiredAmr {
  readonly method: 'otp';
  /** Longest time since the second factor, in seconds. */
  readonly maxAge?: number;
}

/** What a login lacks: another method, or a more recent proof. */
export interface RequiredLogin {
  readonly method: 'pwd' | 'otp';
  /** Seconds. */
  readonly maxAge?: number;
}

/** Ends a request that needs a stronger or more recent login (RFC 9470). */
export class StepUpRequired extends ServiceError {
  constructor(readonly required: RequiredLogin) {
    super('STEP_UP_REQUIRED');
  }
}
