import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import type { Account } from '../../../identity/account/account.js';
import type { Client } from '../../../identity/client/client.js';
import { SessionRefresh } from '../../../identity/session/session-refresh.service.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { requireAudience } from '../authorize/authorization-request.js';
import type { Parameters } from '../authorize/parameters.js';
import { grantedAudience } from '../granted-scope.js';
import { OAuthError } from '../oauth-error.js';
import { mayUse } from '../user/access.js';
import type { GrantedSession } from './token-responses.service.js';

/** Exchanges refresh tokens of applications (RFC 6749 section 6, RFC 9700 section 4.14.2). */
@Injectable()
export class RefreshGrant {
  constructor(
    private readonly refreshes: SessionRefresh,
    private readonly accounts: Accounts,
  ) {}

  /** @throws OAuthError `invalid_grant`, whatever the reason; `invalid_target` for another audience; ServiceError `RATE_LIMITED` if it is refreshed too often */
  async refresh(parameters: Parameters, client: Client): Promise<GrantedSession> {
    const value = parameters.get('refresh_token');
    if (value === undefined) throw new OAuthError('invalid_request', 'refresh_token is missing');
    const rotation = await this.refreshes.rotate<Account>(value, async (tx, session) => {
      const account = await this.accounts.find(session.subject, tx);
      // The error rolls the exchange back: the token of another client stays usable.
      if (session.application?.clientId !== client.id || !account || !mayUse(account, client)) throw rejected();
      requireAudience(parameters, client, grantedAudience(session.application.scope));
      return account;
    });
    if (rotation.kind === 'limited') {
      throw new ServiceError('RATE_LIMITED', { reason: 'session', retryAfterSeconds: rotation.waitSeconds });
    }
    if (rotation.kind === 'rejected') throw rejected();
    const { session, refreshToken } = rotation.opened;
    return { session, refreshToken, account: rotation.admitted };
  }
}

function rejected(): OAuthError {
  return new OAuthError('invalid_grant', 'the refresh token is unknown, used or expired, or its session has ended');
}
