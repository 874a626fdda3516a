import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Accounts } from '../../../identity/account/accounts.service.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { CredentialStrategy, invalidToken, type RequestCredentials, type StrategyName } from './credential.strategy.js';
import { toPrincipal } from './session-principal.js';

const NAME: StrategyName = 'session-cookie';

/** Authenticates by the cookie `SESSION`. A request with an `Authorization` header never reaches the cookie. */
@Injectable()
export class SessionCookieStrategy extends PassportStrategy(CredentialStrategy, NAME) {
  constructor(
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
  ) {
    super();
  }

  /** @throws ServiceError `INVALID_TOKEN` */
  override async validate({ authorization, session: secret }: RequestCredentials): Promise<Principal | undefined> {
    if (authorization !== undefined || secret === undefined) return undefined;
    const session = await this.sessions.findBySecret(secret);
    if (!session) throw invalidToken('no such session');
    const { subject, id, amr, halfSecurityStamp: securityStamp, expiresAt, authTime, idp } = session;
    if (securityStamp !== undefined) {
      return {
        kind: 'half',
        via: 'session',
        subject,
        id,
        amr,
        securityStamp,
        expiresAt,
        ...withoutUndefined({ authTime, idp }),
      };
    }
    const account = await this.accounts.find(subject);
    if (account?.status !== 'active') throw invalidToken('account not active');
    await this.sessions.touch(session);
    const { roles, displayName } = account;
    return { ...toPrincipal(session, 'session', roles), ...withoutUndefined({ displayName }) };
  }
}
