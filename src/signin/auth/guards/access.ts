import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { RequiredAmr } from '../../../kernel/principal/amr.js';
import { authoritiesOf, isHalfAuthenticated, type Principal } from '../../../kernel/principal/principal.js';

/**
 * Error for a half-authenticated caller that may not call the route; undefined if the route accepts the caller
 * (specification, "Authentication" item 6, and the Errors table).
 */
export function preMfaRejection(
  principal: Principal,
  route: { readonly isSecondFactor: boolean; readonly alsoHalfAuthenticated: boolean },
): ErrorCode | undefined {
  if (!isHalfAuthenticated(principal)) return undefined;
  if (route.isSecondFactor) return route.alsoHalfAuthenticated ? undefined : 'MFA_REQUIRED';
  // An `mfa_token` has another audience, so it is an invalid access token; a half-authenticated session is valid.
  return principal.via === 'token' ? 'INVALID_TOKEN' : 'MFA_REQUIRED';
}

/** Requirements of a route beyond a complete login. */
export interface RouteDemands {
  /** One of these authorities. */
  readonly authorities?: readonly string[] | undefined;
  readonly amr?: RequiredAmr | undefined;
}

export function hasAnyAuthority(principal: Principal, authorities: readonly string[]): boolean {
  return authoritiesOf(principal).some((authority) => authorities.includes(authority));
}
