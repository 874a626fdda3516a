import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { MailQueue } from '../../platform/mail/mail-queue.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { type AccountLink, AccountLinks } from './account-links.service.js';
import { TEMPLATES } from './recovery-mails.service.js';

/** How the user gets the link. */
export type Delivery = 'mail' | 'link';

/** Delivers the links of invitations: by mail, or to the administrator, who hands it over. */
@Injectable()
export class InvitationDelivery {
  constructor(
    private readonly links: AccountLinks,
    private readonly mails: MailQueue,
  ) {}

  /** False if no relay is configured: links must then be handed over in another way. */
  get canMail(): boolean {
    return this.mails.isEnabled;
  }

  /** @throws ServiceError `VALIDATION_FAILED` if the link is to be mailed without an address */
  demandAddress(delivery: Delivery, email: string | undefined): void {
    if (delivery !== 'mail' || email !== undefined) return;
    throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'email', code: 'required' }] });
  }

  /** Ends the previous link at once, since the next one may be mailed much later, and queues its mail. */
  async begin(tx: Tx, subject: string, delivery: Delivery): Promise<void> {
    await this.links.endInvitation(tx, subject);
    if (delivery === 'mail') await this.mails.add(tx, { template: TEMPLATES.invitation, subject });
  }

  /** Creates the link after the commit of the invitation, unless it is mailed. */
  async handOver(subject: string, delivery: Delivery): Promise<AccountLink | undefined> {
    return delivery === 'mail' ? undefined : (await this.links.create(subject, ['invitation']))?.links.invitation;
  }
}
