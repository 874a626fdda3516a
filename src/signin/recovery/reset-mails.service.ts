import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { MailQueue } from '../../platform/mail/mail-queue.service.js';
import type { Language } from '../../identity/account/language.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { canResetPassword } from './account-link.js';
import { AccountLinks } from './account-links.service.js';
import { ADDRESS_VERSION, RETURN_TO, TEMPLATES } from './recovery-mails.service.js';

/** Shortest time between two mails that one account gets for forgotten passwords (authentication.md 2.5). */
const INTERVAL_SECONDS = 5 * 60;

/** What the request for a link has told besides the login id. */
export interface ResetRequest {
  /** For users who have chosen none. */
  readonly language: Language;
  /** Where the sign-in after the new password leads; the page that opens the link decides whether it may. */
  readonly returnTo?: string;
}

/** Queues mails with a link to choose a password; the link is created when the mail is sent. */
@Injectable()
export class ResetMails {
  private readonly log: Logger;

  constructor(
    private readonly links: AccountLinks,
    private readonly queue: MailQueue,
    private readonly work: UnitOfWork,
    loggers: Loggers,
  ) {
    this.log = loggers.get('recovery');
  }

  /** False if no relay is configured: nobody gets such a mail then. */
  get isEnabled(): boolean {
    return this.queue.isEnabled;
  }

  /** At most one mail in five minutes for each account. */
  async addRequested(account: Account, { language, returnTo }: ResetRequest): Promise<void> {
    const { id: subject } = account;
    await this.work.run(async (tx) => {
      if (!this.isMailable(account) || !(await this.links.reserve(tx, subject, INTERVAL_SECONDS))) return;
      await this.queue.add(tx, {
        template: TEMPLATES.reset,
        subject,
        facts: withoutUndefined({ language, [RETURN_TO]: returnTo }),
      });
    });
    this.log.debug('A request for a link to reset a password was processed', { subject });
  }

  /** At once, since the user cannot sign in without it; to the present address or to none. */
  async addAfterReport(tx: Tx, account: Account, language: Language): Promise<void> {
    if (!this.isMailable(account)) return;
    await this.links.reserve(tx, account.id, 0);
    const facts = { language, [ADDRESS_VERSION]: String(account.emailVersion) };
    await this.queue.add(tx, { template: TEMPLATES.resetAfterReport, subject: account.id, facts });
  }

  private isMailable(account: Account): boolean {
    return this.isEnabled && account.status === 'active' && account.email !== undefined && canResetPassword(account);
  }
}
