import type { RequestableAcr } from '../../kernel/principal/amr.js';
import { isRedirectUri } from './redirect-uri.js';

export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;
export type GrantType = (typeof GRANT_TYPES)[number];
export type IdTokenAlgorithm = 'RS256' | 'ES256';

export const OPENID = 'openid';
/** OpenID Connect Core section 11. */
export const OFFLINE_ACCESS = 'offline_access';
/** Scopes with a meaning of their own here (OpenID Connect Core sections 3.1.2.1, 5.4 and 11). */
export const SCOPES = [OPENID, 'profile', 'email', 'groups', OFFLINE_ACCESS] as const;
/** Claims about a user that a client may get beside those of its scopes. */
export const CLAIMS = ['name', 'preferred_username', 'email', 'email_verified', 'groups', 'roles', 'locale'] as const;
export type UserClaim = (typeof CLAIMS)[number];

/** A registered application or resource server. */
export interface Client {
  /** As it is configured: `client_id` of requests and tokens. */
  readonly id: string;
  readonly name: string;
  /** An https URL, or a path at the host of the service. */
  readonly logo?: string;
  readonly isPublic: boolean;
  readonly audiences: readonly [string, ...string[]];
  readonly scopes: ReadonlySet<string>;
  readonly claims: readonly UserClaim[];
  readonly grantTypes: ReadonlySet<GrantType>;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly roles: readonly string[];
  readonly minAcr?: RequestableAcr;
  /** Seconds. */
  readonly maxAge?: number;
  /** Seconds. */
  readonly accessLifetime?: number;
  readonly idTokenAlgorithm: IdTokenAlgorithm;
  readonly hasSignedUserinfo: boolean;
  readonly backchannelLogoutUri?: string;
}

/** True for a client that users sign in to. */
export function signsUsersIn({ redirectUris }: Pick<Client, 'redirectUris'>): boolean {
  return redirectUris.length > 0;
}

/** True if codes for the client may be sent to this address. */
export function hasRedirectUri({ redirectUris }: Client, requested: string): boolean {
  return redirectUris.some((registered) => isRedirectUri(registered, requested));
}
