import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import type { Language } from '../../identity/account/language.js';
import type { ReportOutcome } from './account-link.js';
import { AccountProtection } from './account-protection.service.js';
import { AccountLinks } from './account-links.service.js';
import { ResetMails } from './reset-mails.service.js';

/** Protects the account of a user who reports by the link of a notice: this was not me. */
@Injectable()
export class NotMeReports {
  constructor(
    private readonly links: AccountLinks,
    private readonly protection: AccountProtection,
    private readonly events: SecurityEvents,
    private readonly mails: ResetMails,
  ) {}

  /**
   * Ends all sessions, trusted devices, logins in progress, pending secrets and the access code. Removes the password, and mails a link to
   * choose another one. The second factor stays. A mail address that is newer than the notice may be that of the person whom
   * the user reports: it is removed, and no link is mailed. Returns what happened with the address.
   * @throws ServiceError `LINK_INVALID`
   */
  report(token: string, language: Language): Promise<ReportOutcome> {
    return this.links.use('not-me', token, async (tx, { account, emailVersion }) => {
      const { id: subject } = account;
      const isAddressRemoved = await this.protection.close(tx, subject, emailVersion);
      const reason = isAddressRemoved ? 'address_removed' : undefined;
      await this.events.record(tx, { kind: 'NOT_ME_REPORTED', subject, ...withoutUndefined({ reason }) });
      if (!isAddressRemoved) await this.mails.addAfterReport(tx, account, language);
      return { isAddressRemoved };
    });
  }
}
