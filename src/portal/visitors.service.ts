import { Injectable } from '@nestjs/common';
import type { Account } from '../account/account.js';
import { Accounts } from '../account/accounts.service.js';
import { SESSION } from '../auth/cookies.js';
import { RequestAuthenticator } from '../auth/guards/request-authenticator.service.js';
import type { FullPrincipal, Principal } from '../principal/principal.js';
import type { Reply } from '../web/cookies.js';

/** The users of public pages, by their session cookie. */
@Injectable()
export class Visitors {
  constructor(
    private readonly authentication: RequestAuthenticator,
    private readonly accounts: Accounts,
  ) {}

  /** Undefined unless the cookie names a live session, full or half-authenticated. */
  find(reply: Reply): Promise<Principal | undefined> {
    return this.authentication.visitor(reply.cookies[SESSION]);
  }

  /** Undefined unless the cookie names a live full session. */
  async findSignedIn(reply: Reply): Promise<FullPrincipal | undefined> {
    const visitor = await this.find(reply);
    return visitor?.kind === 'full' ? visitor : undefined;
  }

  async findWithAccount(reply: Reply): Promise<{ readonly visitor: Principal; readonly account: Account } | undefined> {
    const visitor = await this.find(reply);
    const account = visitor && (await this.accounts.find(visitor.subject));
    return account && { visitor, account };
  }

  /** True if the browser is signed in with this login id. */
  async isSignedInAs(loginId: string, reply: Reply): Promise<boolean> {
    const found = await this.findWithAccount(reply);
    return found?.visitor.kind === 'full' && found.account.loginId === this.accounts.normalise(loginId);
  }
}
