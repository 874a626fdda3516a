import { Injectable } from '@nestjs/common';
import type { Client } from '../../../identity/client/client.js';
import { SessionRefresh } from '../../../identity/session/session-refresh.service.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { AccessTokens } from '../../../identity/token/access-tokens.service.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { Parameters } from '../authorize/parameters.js';
import { OAuthError } from '../oauth-error.js';

/** Ends the session of a token that its client no longer needs (RFC 7009 section 2). */
@Injectable()
export class TokenRevocation {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly refreshes: SessionRefresh,
    private readonly sessions: Sessions,
    private readonly work: UnitOfWork,
  ) {}

  /** A token that is unknown, or of another client, has no effect and is no error (section 2.2). @throws OAuthError */
  async revoke(parameters: Parameters, client: Client): Promise<void> {
    const token = parameters.get('token');
    if (token === undefined) throw new OAuthError('invalid_request', 'token is missing');
    const claims = await this.accessTokens.verify(token);
    await this.work.run(async (tx) => {
      const named = claims ?? (await this.refreshes.findSession(tx, token));
      const session = named && (await this.sessions.find(named.sid, tx));
      if (session?.application?.clientId !== client.id || session.subject !== named?.subject) return;
      await this.sessions.revoke(tx, session.id, session.subject, { reason: 'logout' });
    });
  }
}
