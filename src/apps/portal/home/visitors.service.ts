import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { SESSION } from '../../../signin/auth/cookies.js';
import { RequestAuthenticator } from '../../../signin/auth/guards/request-authenticator.service.js';
import { secondFactorPage } from '../../../signin/auth/page-paths.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import type { FullPrincipal, Principal } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import type { Reply } from '../../../platform/web/cookies.js';

/** A live session, full or half-authenticated, and its account. */
export interface KnownVisitor {
  readonly visitor: Principal;
  readonly account: Account;
}

/** Finds the users of public pages by their session cookie. */
@Injectable()
export class Visitors {
  private readonly contextPath: string;

  constructor(
    private readonly authentication: RequestAuthenticator,
    private readonly accounts: Accounts,
    private readonly policy: MfaPolicy,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  /** The principal of a live session, full or half-authenticated; undefined without one. */
  find(reply: Reply): Promise<Principal | undefined> {
    return this.authentication.visitor(reply.cookies[SESSION]);
  }

  /** The principal of a live full session; undefined without one. */
  async findSignedIn(reply: Reply): Promise<FullPrincipal | undefined> {
    const visitor = await this.find(reply);
    return visitor?.kind === 'full' ? visitor : undefined;
  }

  async findWithAccount(reply: Reply): Promise<KnownVisitor | undefined> {
    const visitor = await this.find(reply);
    const account = visitor && (await this.accounts.find(visitor.subject));
    // A change of the account, such as a lock, invalidates the first step, so no second step can follow.
    const isEnded = visitor?.kind === 'half' && visitor.securityStamp !== account?.securityStamp;
    return account && !isEnded ? { visitor, account } : undefined;
  }

  /** Path at which a half-authenticated visitor completes the sign-in, which then redirects to `returnTo`. */
  unfinished({ account }: KnownVisitor, returnTo: string): { readonly loginId: string; readonly path: string } {
    const next = this.policy.lacksFactor(account) ? 'enrol' : 'verify';
    return { loginId: account.loginId, path: secondFactorPage(this.contextPath, next, returnTo) };
  }

  /** True if the browser is signed in to the account with this username. */
  async isSignedInAs(username: string, reply: Reply): Promise<boolean> {
    const found = await this.findWithAccount(reply);
    return found?.visitor.kind === 'full' && this.accounts.isUsernameOf(found.account, username);
  }
}
