import { Injectable } from '@nestjs/common';
import { Accounts } from '../account/accounts.service.js';
import { ADDRESS_TEMPLATES } from '../account/address-notices.service.js';
import { BrandingProperties } from '../branding/branding.properties.js';
import { Clock } from '../clock/clock.js';
import { JsonProperties } from '../http/json/json.properties.js';
import type { ComposedMail, QueuedMail } from '../mail/mail-message.js';
import { MailTemplates } from '../mail/mail-templates.service.js';
import { messagesOf } from '../messages/messages.js';
import { MessagesProperties } from '../messages/messages.properties.js';
import { AccountLinks } from '../recovery/account-links.service.js';
import { NOTICE_KINDS, type NoticeKind, noticeFactsOf, templateOf } from './notice.js';
import { addedAddressMail, type NoticeContext, noticeMail } from './notice-mail.js';

/** Composes notices when they are sent, with the address and the links that the account has then. */
@Injectable()
export class NoticeMails {
  constructor(
    private readonly accounts: Accounts,
    private readonly links: AccountLinks,
    private readonly clock: Clock,
    private readonly json: JsonProperties,
    private readonly branding: BrandingProperties,
    private readonly messages: MessagesProperties,
    templates: MailTemplates,
  ) {
    for (const kind of NOTICE_KINDS) templates.register(templateOf(kind), (mail) => this.compose(kind, mail));
    templates.register(ADDRESS_TEMPLATES.new, (mail) => this.composeAdded(mail));
  }

  private async compose(kind: NoticeKind, { subject, facts }: QueuedMail): Promise<ComposedMail | undefined> {
    const account = await this.accounts.find(subject);
    const to = facts['to'] ?? account?.email;
    if (!account || to === undefined) return undefined;
    const { language = this.messages.defaultLanguage } = account;
    const context: NoticeContext = {
      service: this.branding.name,
      loginId: account.loginId,
      timeZone: this.json.timeZone,
      notMeUrl: (await this.links.create(subject, 'not-me'))?.url,
      unlock: kind === 'locked' ? await this.unlockOf(subject) : undefined,
    };
    const { subject: title, ...body } = noticeMail(kind, noticeFactsOf(facts), context, messagesOf(language));
    return { to, language, subject: title, ...body };
  }

  /** The new address may belong to another person, so it learns nothing of the account. */
  private async composeAdded({ subject, facts: { to } }: QueuedMail): Promise<ComposedMail | undefined> {
    const account = await this.accounts.find(subject);
    if (!account || to === undefined) return undefined;
    const { language = this.messages.defaultLanguage } = account;
    const { subject: title, ...body } = addedAddressMail(this.branding.name, messagesOf(language));
    return { to, language, subject: title, ...body };
  }

  private async unlockOf(subject: string): Promise<NoticeContext['unlock']> {
    const link = await this.links.create(subject, 'unlock');
    return link && { url: link.url, minutes: Math.ceil((link.expiresAt - this.clock.seconds()) / 60) };
  }
}
