import type { ErrorCode } from '../../errors/error-code.js';
import { ACR_MFA, ACR_PWD, type RequiredAmr } from '../../principal/amr.js';
import {
  authoritiesOf,
  type FullPrincipal,
  hasFreshOtp,
  isHalfAuthenticated,
  type Principal,
} from '../../principal/principal.js';

/** True for the routes of the second factor; `template` is the matched route without the context path. */
export function isSecondFactorRoute(template: string): boolean {
  return template === '/2fa' || template.startsWith('/2fa/');
}

/**
 * Why somebody whose second factor is open may not call a route; undefined where they may (specification,
 * "Authentication" item 6, and the Errors table).
 */
export function preMfaRefusal(
  principal: Principal,
  route: { readonly template: string; readonly alsoHalfAuthenticated: boolean },
): ErrorCode | undefined {
  if (!isHalfAuthenticated(principal)) return undefined;
  if (isSecondFactorRoute(route.template)) return route.alsoHalfAuthenticated ? undefined : 'MFA_REQUIRED';
  // The token is for another audience, so it is no access token at all; the session is known and not far enough.
  return principal.via === 'token' ? 'INVALID_TOKEN' : 'MFA_REQUIRED';
}

export function hasAuthority(principal: Principal, authority: string): boolean {
  return authoritiesOf(principal).includes(authority);
}

/** Whether a full login proved what a route asks for, and recently enough. */
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
