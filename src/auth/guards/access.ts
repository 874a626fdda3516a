import type { ErrorCode } from '../../errors/error-code.js';
import { ACR_MFA, ACR_PWD, type RequiredAmr } from '../../principal/amr.js';
import {
  authoritiesOf,
  type FullPrincipal,
  hasFreshOtp,
  isHalfAuthenticated,
  type Principal,
} from '../../principal/principal.js';

/**
 * Error for a half-authenticated caller that may not call the route; undefined where the route accepts the caller
 * (specification, "Authentication" item 6, and the Errors table).
 */
export function preMfaRefusal(
  principal: Principal,
  route: { readonly isSecondFactor: boolean; readonly alsoHalfAuthenticated: boolean },
): ErrorCode | undefined {
  if (!isHalfAuthenticated(principal)) return undefined;
  if (route.isSecondFactor) return route.alsoHalfAuthenticated ? undefined : 'MFA_REQUIRED';
  // An `mfa_token` has another audience, so it is an invalid access token; a half-authenticated session is valid.
  return principal.via === 'token' ? 'INVALID_TOKEN' : 'MFA_REQUIRED';
}

export function hasAuthority(principal: Principal, authority: string): boolean {
  return authoritiesOf(principal).includes(authority);
}

/** True if a complete login proved the required method, and recently enough. */
export function satisfiesAmr(principal: FullPrincipal, { maxAge }: RequiredAmr, now: number): boolean {
  return hasFreshOtp(principal, now, maxAge);
}

/** The challenge of RFC 9470 section 3; `maxAge` in seconds. */
export function stepUpChallenge({
  method,
  maxAge,
}: {
  readonly method: 'pwd' | 'otp';
  readonly maxAge?: number;
}): string {
  const parts = ['error="insufficient_user_authentication"', `acr_values="${method === 'otp' ? ACR_MFA : ACR_PWD}"`];
  if (maxAge !== undefined) parts.push(`max_age="${maxAge}"`);
  return `Bearer ${parts.join(', ')}`;
}
