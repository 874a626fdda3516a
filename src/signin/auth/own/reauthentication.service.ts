import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { isPhishingResistant, type RequiredLogin, StepUpRequired } from '../../../kernel/principal/amr.js';
import { type FullPrincipal, hasFreshFactor, type Principal } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { MfaProperties } from '../../../identity/second-factor/mfa.properties.js';
import type { SubmittedProof } from '../../../identity/second-factor/second-factor.js';

/** Decides whether a login is recent and strong enough for its user to change a credential (http-api section 3). */
@Injectable()
export class Reauthentication {
  constructor(
    private readonly accounts: Accounts,
    private readonly properties: MfaProperties,
    private readonly policy: MfaPolicy,
    private readonly clock: Clock,
  ) {}

  async accountOf({ subject }: Principal, tx?: Tx): Promise<Account> {
    const account = await this.accounts.find(subject, tx);
    if (!account) throw new ServiceError('INVALID_TOKEN', { reason: 'account gone' });
    return account;
  }

  /**
   * True if the caller proved a second factor recently enough for functions that need a fresh proof, and at most
   * `maxAge` seconds ago if that is given.
   */
  hasFreshMfa(caller: Principal, maxAge = Infinity): boolean {
    const required = { method: 'mfa', maxAge: Math.min(maxAge, this.properties.freshAuth.seconds) } as const;
    return caller.kind === 'full' && hasFreshFactor(caller, required, this.clock.seconds());
  }

  /** True if the caller may change the credentials of the account: by a fresh proof, as strong as policy demands. */
  mayChange(caller: FullPrincipal, account: Account): boolean {
    return this.hasFreshMfa(caller) && this.isStrongEnough(caller, account);
  }

  /** @throws ServiceError `STEP_UP_REQUIRED` unless `mayChange` */
  requireFreshMfa(caller: FullPrincipal, account: Account): void {
    if (!this.mayChange(caller, account)) throw this.proofRequired(account);
  }

  /**
   * For the end of a change that began with a fresh proof: the account may have got its passkey meanwhile.
   * @throws ServiceError `STEP_UP_REQUIRED`
   */
  requireStrength(caller: FullPrincipal, account: Account): void {
    if (!this.isStrongEnough(caller, account)) throw this.proofRequired(account);
  }

  /** The submitted proof, if it is of a kind that may change the account. @throws ServiceError `STEP_UP_REQUIRED` */
  requireProof(account: Account, submitted: SubmittedProof | undefined): SubmittedProof {
    const isEnough = submitted && !(submitted.method !== 'passkey' && this.policy.needsPasskey(account));
    if (!isEnough) throw this.proofRequired(account);
    return submitted;
  }

  /** @throws ServiceError `STEP_UP_REQUIRED`, also for a login whose time is unknown */
  requireFreshTime(authTime: number | undefined): void {
    const isFresh = authTime !== undefined && this.clock.seconds() - authTime <= this.properties.freshAuth.seconds;
    if (!isFresh) throw this.stepUpRequired('pwd');
  }

  /** The error that names the method and the maximum age of the login that is required (RFC 9470). */
  private stepUpRequired(method: RequiredLogin['method']): StepUpRequired {
    return new StepUpRequired({ method, maxAge: this.properties.freshAuth.seconds });
  }

  private isStrongEnough({ amr }: FullPrincipal, account: Account): boolean {
    return isPhishingResistant(amr) || !this.policy.needsPasskey(account);
  }

  private proofRequired(account: Account): StepUpRequired {
    return this.stepUpRequired(this.policy.needsPasskey(account) ? 'passkey' : 'mfa');
  }
}
