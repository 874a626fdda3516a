import { Injectable } from '@nestjs/common';
import { MailComposer } from '../messages/mail-composer.service.js';
import type { ComposedMail, QueuedMail } from '../../platform/mail/mail-message.js';
import { MailTemplates } from '../../platform/mail/mail-templates.service.js';
import { AccountLinks } from './account-links.service.js';
import { CONFIRMATION_TEMPLATE } from './address-confirmations.service.js';

/** The mail with the link that confirms an address. */
@Injectable()
export class AddressMails {
  constructor(
    private readonly links: AccountLinks,
    private readonly composer: MailComposer,
    templates: MailTemplates,
  ) {
    templates.register(CONFIRMATION_TEMPLATE, (mail) => this.compose(mail));
  }

  /** The address may belong to another person, who learns nothing about the account. */
  private async compose({
    subject,
    facts: { to, language: requested },
  }: QueuedMail): Promise<ComposedMail | undefined> {
    const link = to === undefined ? undefined : await this.links.createConfirmation(subject, to);
    if (!link || to === undefined) return undefined;
    const reader = { to, language: link.account.language, requested };
    return this.composer.compose(reader, ({ messages: { recovery }, timeText }) => {
      const { title, text, link: label, more } = recovery['address-confirmation'];
      const parts = [
        { kind: 'text', text },
        { kind: 'facts', facts: [[recovery.validUntil, timeText(link.expiresAt * 1000)]] },
        { kind: 'link', label, url: link.url },
        { kind: 'text', text: more },
      ] as const;
      return { title, parts };
    });
  }
}
