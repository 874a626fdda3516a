import type { JWTPayload } from 'jose';
import type { Account } from '../../../identity/account/account.js';
import { CLAIMS, type Client, type UserClaim } from '../../../identity/client/client.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { scopeOfClaim } from '../granted-scope.js';

/** The claims of the standard scopes that this service knows (OpenID Connect Core section 5.4). */
const OF_SCOPES: Readonly<Record<string, readonly UserClaim[]>> = {
  profile: ['name', 'preferred_username', 'locale'],
  email: ['email', 'email_verified'],
  groups: ['groups'],
};

/** The claims that a client may get: by the scopes that it may request, or of its own. */
export function permittedClaims({ scopes, claims }: Client): ReadonlySet<UserClaim> {
  return new Set([...Array.from(scopes).flatMap((name) => OF_SCOPES[name] ?? []), ...claims]);
}

/** The claims that these scopes and further names grant about a user; those without a value are absent. */
export function userClaims(account: Account, scope: string, others: readonly UserClaim[] = []): JWTPayload {
  const scopes = scope.split(' ');
  const single = CLAIMS.filter((claim) => scopes.includes(scopeOfClaim(claim)));
  const granted = new Set([...scopes.flatMap((name) => OF_SCOPES[name] ?? []), ...single, ...others]);
  const values = Array.from(granted, (claim) => [claim, VALUES[claim](account)] as const);
  return withoutUndefined(Object.fromEntries(values));
}

const VALUES: Readonly<Record<UserClaim, (account: Account) => unknown>> = {
  name: ({ displayName }) => displayName,
  preferred_username: ({ loginId }) => loginId,
  email: ({ email }) => email,
  email_verified: ({ email, emailVerified }) => (email === undefined ? undefined : emailVerified),
  groups: ({ groups }) => [...groups],
  roles: ({ roles }) => [...roles],
  locale: ({ language }) => language,
};
