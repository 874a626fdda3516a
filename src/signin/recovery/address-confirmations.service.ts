import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import { AccountChanges } from '../../identity/account/account-changes.service.js';
import type { Language } from '../../identity/account/language.js';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { MailQueue } from '../../platform/mail/mail-queue.service.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { AccountLinks } from './account-links.service.js';

/** Shortest time between two mails that an account has sent to addresses, which may be those of strangers. */
const INTERVAL_SECONDS = 5 * 60;
/** Name of the mail template. */
export const CONFIRMATION_TEMPLATE = 'address-confirmation';

/** Addresses that users confirm by a mailed link: another one, or the present one, which is then verified. */
@Injectable()
export class AddressConfirmations {
  constructor(
    private readonly links: AccountLinks,
    private readonly changes: AccountChanges,
    private readonly events: SecurityEvents,
    private readonly queue: MailQueue,
    private readonly work: UnitOfWork,
  ) {}

  /** False if no relay is configured. */
  get isEnabled(): boolean {
    return this.queue.isEnabled;
  }

  /**
   * Queues a mail with a link to the address, which ends the previous link. The link is for the account as `account` states it. A
   * request for another address is an event, of which the present address gets a notice.
   * @throws ServiceError `RATE_LIMITED` within five minutes of the previous request
   */
  async request(account: Account, email: string, language: Language): Promise<void> {
    const { id: subject } = account;
    await this.work.run(async (tx) => {
      if (!(await this.links.reserveConfirmation(tx, account, email, INTERVAL_SECONDS))) {
        throw new ServiceError('RATE_LIMITED', { reason: 'link requested', retryAfterSeconds: INTERVAL_SECONDS });
      }
      if (email !== account.email) await this.events.record(tx, { kind: 'EMAIL_REQUESTED', subject });
      await this.queue.add(tx, { template: CONFIRMATION_TEMPLATE, subject, facts: { to: email, language } });
    });
  }

  /** Sets the address of a link, as verified; nobody is signed in by one. @throws ServiceError `LINK_INVALID` */
  async confirm(token: string): Promise<void> {
    await this.links.use('email', token, async (tx, { account, email }) => {
      const isSet = email !== undefined && (await this.changes.confirmAddress(tx, account, email));
      if (!isSet) throw new ServiceError('LINK_INVALID', { reason: 'link outdated' });
    });
  }
}
