import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import { Accounts } from '../../identity/account/accounts.service.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { EnrolledAuthenticators } from '../../identity/second-factor/enrolment/enrolled-authenticators.service.js';
import { Enrolment } from '../../identity/second-factor/enrolment/enrolment.service.js';
import type { AccountDetails, VisibleAccount } from './account-details.js';
import { type Actor, demandSubject } from './act.js';
import { ProtectedRoles } from './protected-roles.service.js';

/**
 * The accounts that administrators and the help desk may read. The help desk sees every account, so that it can tell a
 * caller whom to ask, but authenticators, sessions, devices and events only of accounts that it may act on.
 */
@Injectable()
export class AccountDirectory {
  constructor(
    private readonly accounts: Accounts,
    private readonly enrolment: Enrolment,
    private readonly authenticators: EnrolledAuthenticators,
    private readonly protectedRoles: ProtectedRoles,
  ) {}

  /** @throws ServiceError `NOT_FOUND` */
  async find(subject: string): Promise<AccountDetails> {
    const account = await this.known(subject);
    return { account, factors: await this.enrolment.state(subject) };
  }

  /** The account, with its authenticators if the caller may act on it. @throws ServiceError `NOT_FOUND` */
  async view(subject: string, actor: Actor): Promise<VisibleAccount> {
    const details = await this.find(subject);
    if (!this.isOpenTo(details.account, actor)) return details;
    return { ...details, authenticators: await this.authenticators.of(subject) };
  }

  /** True if the caller may act on the account and see its authenticators, sessions, devices and events. */
  isOpenTo({ roles }: Account, { authority }: Actor): boolean {
    return authority !== 'help desk' || !this.protectedRoles.hasAny(roles);
  }

  /** @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED` unless `isOpenTo` */
  async demandOpen(subject: string, actor: Actor): Promise<void> {
    if (!this.isOpenTo(await this.known(subject), actor)) {
      throw new ServiceError('ACCESS_DENIED', { reason: 'protected account' });
    }
  }

  private async known(subject: string): Promise<Account> {
    demandSubject(subject);
    const account = await this.accounts.find(subject);
    if (!account) throw new ServiceError('NOT_FOUND', { reason: 'account' });
    return account;
  }
}
