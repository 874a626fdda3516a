import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { StepUpRequired } from '../../../kernel/principal/amr.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { Session } from '../../../identity/session/session.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { invalidToken } from '../strategies/credential.strategy.js';
import { toPrincipal } from '../strategies/session-principal.js';
import { hasAnyAuthority, type RouteDemands } from './access.js';
import type { Permit } from './permit.js';
import { RequiredFactors } from './required-factors.service.js';

/** Verifies what a route demands of its caller, when the request arrives and again later. */
@Injectable()
export class Permits {
  constructor(
    private readonly accounts: Accounts,
    private readonly sessions: Sessions,
    private readonly factors: RequiredFactors,
  ) {}

  permitOf(caller: FullPrincipal, demands: RouteDemands): Permit {
    return {
      subject: caller.subject,
      verifyAccess: () => this.verify(caller, { ...demands, amr: undefined }),
      verify: () => this.verify(caller, demands),
      hold: (tx) => this.hold(tx, caller, demands),
    };
  }

  private async verify(caller: FullPrincipal, demands: RouteDemands): Promise<void> {
    const session = await this.sessions.find(caller.sid);
    const account = await this.accounts.find(caller.subject);
    this.demand(caller, session, account, demands);
    // A long export is a use of its session.
    if (session) await this.sessions.touch(session);
  }

  /** The account first, as whatever disables or demotes it: that waits for this transaction, or comes before it. */
  private async hold(tx: Tx, caller: FullPrincipal, demands: RouteDemands): Promise<void> {
    const account = await this.accounts.hold(tx, caller.subject);
    const session = account && (await this.sessions.hold(tx, caller.sid, caller.subject));
    this.demand(caller, session, account, demands);
  }

  /** Demands it of the caller as session and account are now, with the last proof of the second factor in this session. */
  private demand(
    { via }: FullPrincipal,
    session: Session | undefined,
    account: Account | undefined,
    { authorities, amr }: RouteDemands,
  ): void {
    if (account?.status !== 'active') throw invalidToken('account not active');
    if (session?.subject !== account.id) throw invalidToken('session ended');
    const principal = toPrincipal(session, via, account.roles);
    if (authorities && !hasAnyAuthority(principal, authorities)) throw new ServiceError('ACCESS_DENIED');
    const missing = amr && this.factors.missingOf(principal, account, amr);
    if (missing) throw new StepUpRequired(missing);
  }
}
