import { withoutUndefined } from '../collections/without-undefined.js';
import { type Amr, hasOtp, hasSecondFactor, isPhishingResistant, type RequiredFactor } from './amr.js';

/** How the user of a session or access token authenticated; instants are epoch seconds. */
export interface AuthenticationFacts {
  readonly amr: Amr;
  /** When the first factor was proven; missing if an identity provider did not prove it. */
  readonly authTime?: number;
  /** When the second factor was proven, if `amr` contains one and the time is known. */
  readonly mfaAt?: number;
  readonly mfaMethod?: string;
  readonly idp?: string;
  readonly authnContext?: string;
}

/** Takes these facts from a session, the claims of a token or a principal. */
export function authenticationFactsOf(from: AuthenticationFacts): AuthenticationFacts {
  const { amr, authTime, mfaAt, mfaMethod, idp, authnContext } = from;
  return withoutUndefined({ amr, authTime, mfaAt, mfaMethod, idp, authnContext });
}

/** A user whose login is complete. */
export interface FullPrincipal extends AuthenticationFacts {
  readonly kind: 'full';
  readonly subject: string;
  /** The session behind the token or cookie. */
  readonly sid: string;
  /** How the request proves it: by an access token in `Authorization`, or by the cookie `SESSION`. */
  readonly via: 'token' | 'session';
  readonly roles: readonly string[];
  /** For pages: known by a session only, whose authentication reads the account. */
  readonly displayName?: string;
}

/** A user with a verified first factor and an open second factor; has the authority `ROLE_PRE_MFA` only. */
export interface HalfPrincipal {
  readonly kind: 'half';
  readonly subject: string;
  readonly via: 'token' | 'session';
  /** `jti` of the `mfa_token`, or the id of the half-authenticated session. */
  readonly id: string;
  readonly securityStamp: number;
  /** The first factor: a password, or a passkey whose authenticator did not verify its user. */
  readonly amr: Amr;
  /** Epoch seconds at which the `mfa_token` or half-authenticated session ends. */
  readonly expiresAt: number;
  /** Epoch seconds of the first factor; missing if an identity provider did not prove the time. */
  readonly authTime?: number;
  /** The identity provider of the first step; missing for a password. */
  readonly idp?: string;
}

export type Principal = FullPrincipal | HalfPrincipal;

export const ROLE_USER = 'ROLE_USER';
export const ROLE_PRE_MFA = 'ROLE_PRE_MFA';

export function isHalfAuthenticated(principal: Principal): principal is HalfPrincipal {
  return principal.kind === 'half';
}

/** Authorities of the role-based arrangement (specification, "Authentication" item 6). */
export function authoritiesOf(principal: Principal): readonly string[] {
  return isHalfAuthenticated(principal) ? [ROLE_PRE_MFA] : effectiveRoles(principal.roles);
}

/** The roles that an account has for access and for policy: the stored ones and ROLE_USER, which every account has. */
export function effectiveRoles(stored: readonly string[]): readonly string[] {
  return [...new Set([ROLE_USER, ...stored])];
}

const PROVES: Readonly<Record<RequiredFactor['method'], (amr: Amr) => boolean>> = {
  otp: hasOtp,
  mfa: hasSecondFactor,
  passkey: isPhishingResistant,
};

/** True if the required second factor was proven, and if `maxAge` is set, at a proven time not longer than that ago. */
export function hasFreshFactor(principal: FullPrincipal, { method, maxAge }: RequiredFactor, now: number): boolean {
  return PROVES[method](principal.amr) && isProofFresh(principal, now, maxAge);
}

/** Each proof of a second factor replaces both `amr` and `mfaAt` of its session, so the time belongs to that method. */
function isProofFresh({ mfaAt }: FullPrincipal, now: number, maxAgeSeconds: number | undefined): boolean {
  return maxAgeSeconds === undefined || (mfaAt !== undefined && now - mfaAt <= maxAgeSeconds);
}

/** The session or `mfa_token` that requested a pending secret: only the same one may see or confirm it. */
export function requesterOf(principal: Principal): string {
  if (!isHalfAuthenticated(principal)) return `sid:${principal.sid}`;
  return principal.via === 'token' ? `jti:${principal.id}` : `sid:${principal.id}`;
}
