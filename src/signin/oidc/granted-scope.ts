import type { UserClaim } from '../../identity/client/client.js';
import { OAuthError } from './oauth-error.js';

/** The scope of an application's session says all that was granted: scopes, the audience, and claims that were named. */
const AUDIENCE_PREFIX = 'aud:';
/** Stands for one claim at userinfo, which the request has named (OpenID Connect Core section 5.5). */
const CLAIM_PREFIX = 'claim:';
/** Length of the column. */
const MAX_LENGTH = 512;

/** @throws OAuthError `invalid_scope` if it is too long to be stored */
export function grantedScope(audience: string, scopes: readonly string[], claims: readonly UserClaim[]): string {
  const scope = [AUDIENCE_PREFIX + audience, ...scopes, ...claims.map(scopeOfClaim)].join(' ');
  if (scope.length <= MAX_LENGTH) return scope;
  throw new OAuthError('invalid_scope', 'the scopes are too long');
}

export function scopeOfClaim(claim: UserClaim): string {
  return CLAIM_PREFIX + claim;
}

/** The audience of access tokens; undefined for a session that has none. */
export function grantedAudience(scope: string): string | undefined {
  const [first = ''] = scope.split(' ');
  return first.startsWith(AUDIENCE_PREFIX) ? first.slice(AUDIENCE_PREFIX.length) : undefined;
}

/** The scopes by their names on the wire. */
export function namedScopes(scope: string): readonly string[] {
  return scope
    .split(' ')
    .filter((name) => name !== '' && ![AUDIENCE_PREFIX, CLAIM_PREFIX].some((prefix) => name.startsWith(prefix)));
}

/** The scopes of an access token, and the claims that were requested by name beside the scopes of its session. */
export function scopeForUserinfo(ofToken: string, granted: string): string {
  const named = granted.split(' ').filter((name) => name.startsWith(CLAIM_PREFIX));
  return [ofToken, ...named].join(' ');
}
