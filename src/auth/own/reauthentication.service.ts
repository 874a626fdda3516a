import { Injectable } from '@nestjs/common';
import type { Account } from '../../account/account.js';
import { Accounts } from '../../account/accounts.service.js';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import { StepUpRequired } from '../../principal/amr.js';
import { type FullPrincipal, hasFreshMfa, type Principal } from '../../principal/principal.js';
import { MfaProperties } from '../../second-factor/mfa.properties.js';

/** Decides whether a login is recent and strong enough for its user to change a credential (http-api section 3). */
@Injectable()
export class Reauthentication {
  constructor(
    private readonly accounts: Accounts,
    private readonly policy: MfaProperties,
    private readonly clock: Clock,
  ) {}

  async accountOf({ subject }: Principal): Promise<Account> {
    const account = await this.accounts.find(subject);
    if (!account) throw new ServiceError('INVALID_TOKEN', { reason: 'account gone' });
    return account;
  }

  /**
   * True if the caller proved a second factor recently enough for functions that need a fresh proof, and at most
   * `maxAge` seconds ago if that is given.
   */
  hasFreshMfa(caller: Principal, maxAge = Infinity): boolean {
    const limit = Math.min(maxAge, this.policy.freshAuth.seconds);
    return caller.kind === 'full' && hasFreshMfa(caller, this.clock.seconds(), limit);
  }

  /** @throws ServiceError `STEP_UP_REQUIRED` */
  requireFreshMfa(caller: FullPrincipal): void {
    if (!this.hasFreshMfa(caller)) throw this.stepUpRequired('mfa');
  }

  /** @throws ServiceError `STEP_UP_REQUIRED`, also for a login whose time is unknown */
  requireFreshTime(authTime: number | undefined): void {
    const isFresh = authTime !== undefined && this.clock.seconds() - authTime <= this.policy.freshAuth.seconds;
    if (!isFresh) throw this.stepUpRequired('pwd');
  }

  /** The error that names the method and the maximum age of the login that is required (RFC 9470). */
  stepUpRequired(method: 'mfa' | 'pwd'): StepUpRequired {
    return new StepUpRequired({ method, maxAge: this.policy.freshAuth.seconds });
  }
}
