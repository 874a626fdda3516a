import { Injectable } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { OPENID } from '../../../identity/client/client.js';
import { Clients } from '../../../identity/client/clients.service.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { AccessTokens } from '../../../identity/token/access-tokens.service.js';
import { scopeForUserinfo } from '../granted-scope.js';
import { OAuthError } from '../oauth-error.js';
import { IdTokens } from '../token/id-tokens.service.js';
import { mayUse } from './access.js';
import { userClaims } from './user-claims.js';

/** Lifetime of a signed response, which its client reads at once. */
const SIGNED_SECONDS = 120;

/** Claims about the user of an access token. */
@Injectable()
export class Userinfo {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly clients: Clients,
    private readonly idTokens: IdTokens,
  ) {}

  /** The claims, or a signed token of them for a client that asks for one. @throws OAuthError `invalid_token` */
  async of(token: string | undefined): Promise<JWTPayload | string> {
    const claims = token === undefined ? undefined : await this.accessTokens.verify(token);
    const session = claims && (await this.sessions.find(claims.sid));
    const application = session?.application;
    const client = application && this.clients.find(application.clientId);
    if (!claims || !client || session.subject !== claims.subject || claims.clientId !== client.id) throw invalid();
    const { scope = '' } = claims;
    if (!scope.split(' ').includes(OPENID)) {
      throw new OAuthError('insufficient_scope', 'the token has no scope openid', 403);
    }
    const account = await this.accounts.find(claims.subject);
    if (!account || !mayUse(account, client)) throw invalid();
    const body = { ...userClaims(account, scopeForUserinfo(scope, application.scope), client.claims), sub: account.id };
    return client.hasSignedUserinfo ? this.idTokens.sign(client, body, SIGNED_SECONDS) : body;
  }
}

function invalid(): OAuthError {
  return new OAuthError('invalid_token', 'the access token is missing, expired or of an ended session', 401);
}
