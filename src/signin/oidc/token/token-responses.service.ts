import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { type Client, OPENID } from '../../../identity/client/client.js';
import type { RefreshToken, Session } from '../../../identity/session/session.js';
import { AccessTokens } from '../../../identity/token/access-tokens.service.js';
import { AUDIENCES } from '../../../kernel/principal/audience.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { CodeTerms } from '../code/authorization-code.store.js';
import { grantedAudience, namedScopes } from '../granted-scope.js';
import { permittedClaims } from '../user/user-claims.js';
import { IdTokens } from './id-tokens.service.js';

/** The session of an application for which tokens are issued. */
export interface GrantedSession {
  readonly session: Session;
  readonly refreshToken?: RefreshToken | undefined;
  readonly account: Account;
  /** Those of the code; a refresh has none. */
  readonly terms?: CodeTerms;
}

/** RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  /** Missing if the client has requested none. */
  readonly scope?: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

/** Issues the tokens of applications. */
@Injectable()
export class TokenResponses {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly idTokens: IdTokens,
  ) {}

  /** A token for the client itself, without a user (RFC 6749 section 4.4). */
  async issueToClient(client: Client, audience: string, scopes: readonly string[]): Promise<TokenResponse> {
    const scope = scopes.join(' ');
    const terms = { audience, clientId: client.id, scope, ...withoutUndefined({ lifetime: client.accessLifetime }) };
    const { accessToken, expiresIn } = await this.accessTokens.issueToClient(terms);
    return { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, ...(scope !== '' && { scope }) };
  }

  /** `scopes` are those of the access token, if they are fewer than the granted ones. */
  async issue(
    client: Client,
    granted: GrantedSession,
    scopes = namedScopes(granted.session.application?.scope ?? ''),
  ): Promise<TokenResponse> {
    const { session, account, refreshToken } = granted;
    const scope = scopes.join(' ');
    const audience = grantedAudience(session.application?.scope ?? '');
    const { accessToken, expiresIn } = await this.accessTokens.issue(session, rolesFor(client, audience, account), {
      ...{ clientId: client.id, scope },
      ...withoutUndefined({ audience, lifetime: client.accessLifetime }),
    });
    const hasIdToken = scopes.includes(OPENID);
    const idToken = hasIdToken ? await this.idTokens.issue(client, granted, accessToken, expiresIn) : undefined;
    const hasRefresh = client.grantTypes.has('refresh_token');
    return {
      ...{ access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, scope },
      ...withoutUndefined({ id_token: idToken, refresh_token: hasRefresh ? refreshToken?.value : undefined }),
    };
  }
}

/** The roles for an access token, which the application can read, too: all where a token has them by specification. */
function rolesFor(client: Client, audience: string | undefined, { roles }: Account): readonly string[] {
  const isOurs = AUDIENCES.some((ours) => ours === audience);
  return isOurs || permittedClaims(client).has('roles') ? roles : [];
}
