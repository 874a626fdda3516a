import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import type { UserClaim } from '../../../identity/client/client.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { AuthorizationRequest } from '../authorize/authorization-request.js';
import type { Visitor } from '../authorize/sign-in-decision.js';
import type { StoredRequest } from '../authorize/stored-request.js';
import { StoredRequestStore } from '../authorize/stored-request.store.js';
import { grantedScope } from '../granted-scope.js';
import { OAuthError } from '../oauth-error.js';
import { permittedClaims } from '../user/user-claims.js';
import { AuthorizationCodeStore } from './authorization-code.store.js';

/** Issues authorization codes for granted requests. */
@Injectable()
export class AuthorizationCodes {
  constructor(
    private readonly codes: AuthorizationCodeStore,
    private readonly requests: StoredRequestStore,
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly work: UnitOfWork,
  ) {}

  /** Uses the stored request up. @throws OAuthError if it has been used, or the session has ended meanwhile */
  issue(request: AuthorizationRequest, { principal, account }: Visitor, stored?: StoredRequest): Promise<string> {
    const { client, redirectUri, scopes, audience, codeChallenge, nonce, claims } = request;
    const isPermitted = (claim: UserClaim): boolean => permittedClaims(client).has(claim);
    const terms = {
      ...{ redirectUri, idTokenClaims: claims.idToken.filter(isPermitted) },
      scope: grantedScope(audience, scopes, claims.userinfo.filter(isPermitted)),
      ...withoutUndefined({ codeChallenge, nonce }),
    };
    return this.work.run(async (tx) => {
      if (stored && !(await this.requests.use(tx, stored.uri))) {
        throw new OAuthError('invalid_request_uri', 'request_uri has been used');
      }
      const isHeld = await this.accounts.hold(tx, account.id);
      const parent = isHeld && (await this.sessions.hold(tx, principal.sid, account.id));
      if (!parent) throw new OAuthError('login_required', 'the session of the user has ended');
      const ids = { clientId: client.id, parentId: parent.id, subject: account.id, sessionId: this.sessions.newId() };
      return this.codes.insert(tx, { ...ids, terms });
    });
  }
}
