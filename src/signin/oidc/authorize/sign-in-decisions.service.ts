import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { SESSION } from '../../auth/cookies.js';
import { RequestAuthenticator } from '../../auth/guards/request-authenticator.service.js';
import { Idps } from '../../saml/idp/idps.service.js';
import { decideSignIn, type Decision, type SignInDemands, type Situation, type Visitor } from './sign-in-decision.js';

/** Decides by the session of the browser about authorization requests, and about sign-ins of forward authentication. */
@Injectable()
export class SignInDecisions {
  constructor(
    private readonly authentication: RequestAuthenticator,
    private readonly accounts: Accounts,
    private readonly idps: Idps,
    private readonly clock: Clock,
  ) {}

  /** @throws OAuthError as `decideSignIn` does */
  async decide(request: SignInDemands, stored: Situation['stored'], reply: Reply): Promise<Decision> {
    const offersSecondFactor = (idp: string): boolean => this.idps.offersSecondFactor(idp);
    const now = this.clock.seconds();
    return decideSignIn(request, await this.visitor(reply), { stored, now, offersSecondFactor });
  }

  /** The user whose complete session the browser has. */
  private async visitor(reply: Reply): Promise<Visitor | undefined> {
    const principal = await this.authentication.visitor(reply.cookies[SESSION]);
    if (principal?.kind !== 'full') return undefined;
    const account = await this.accounts.find(principal.subject);
    return account && { principal, account };
  }
}
