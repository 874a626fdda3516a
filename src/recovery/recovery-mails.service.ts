import { Injectable } from '@nestjs/common';
import { BrandingProperties } from '../branding/branding.properties.js';
import { Accounts } from '../account/accounts.service.js';
import { JsonProperties } from '../http/json/json.properties.js';
import { layOutMail, type MailPart } from '../mail/mail-layout.js';
import type { ComposedMail, QueuedMail } from '../mail/mail-message.js';
import { MailTemplates } from '../mail/mail-templates.service.js';
import { isLanguage, messagesOf } from '../messages/messages.js';
import { MessagesProperties } from '../messages/messages.properties.js';
import type { LinkKind } from './account-link.js';
import { AccountLinks } from './account-links.service.js';

/** Names of the mail templates. */
export const TEMPLATES = {
  reset: 'password-reset',
  resetAfterReport: 'password-reset-by-not-me',
  invitation: 'invitation',
} as const;

type TemplateName = (typeof TEMPLATES)[keyof typeof TEMPLATES];

const LINK_OF: Readonly<Record<TemplateName, LinkKind>> = {
  'password-reset': 'password-reset',
  'password-reset-by-not-me': 'password-reset',
  invitation: 'invitation',
};

/** The mails with links that let users into their account; the link is created when the mail is sent. */
@Injectable()
export class RecoveryMails {
  constructor(
    private readonly accounts: Accounts,
    private readonly links: AccountLinks,
    private readonly messages: MessagesProperties,
    private readonly branding: BrandingProperties,
    private readonly json: JsonProperties,
    templates: MailTemplates,
  ) {
    for (const name of Object.values(TEMPLATES)) templates.register(name, (mail) => this.compose(name, mail));
  }

  /** Undefined if the account has no address or gets no such link, for example because it has accepted its invitation. */
  private async compose(name: TemplateName, { subject, facts }: QueuedMail): Promise<ComposedMail | undefined> {
    const known = await this.accounts.find(subject);
    const created = known?.email === undefined ? undefined : await this.links.create(subject, [LINK_OF[name]]);
    if (!created) return undefined;
    // The address may have changed since it was read, and the link is valid for the new one alone.
    const { account, links } = created;
    const { loginId, email: to } = account;
    const link = links[LINK_OF[name]];
    if (!link || to === undefined) return undefined;
    const chosen = facts['language'];
    const language = account.language ?? (isLanguage(chosen) ? chosen : this.messages.defaultLanguage);
    const { tag, recovery, notices } = messagesOf(language);
    const { title, text, link: label, more } = recovery[name];
    const parts: readonly MailPart[] = [
      { kind: 'text', text },
      {
        kind: 'facts',
        facts: [
          [recovery.username, loginId],
          [recovery.validUntil, this.timeText(link.expiresAt, tag)],
        ],
      },
      { kind: 'link', label, url: link.url },
      { kind: 'text', text: more },
      { kind: 'footer', text: notices.footer(this.branding.name) },
    ];
    return { to, language, subject: notices.subject(this.branding.name, title), ...layOutMail({ tag, title, parts }) };
  }

  private timeText(epochSeconds: number, tag: string): string {
    const format = { year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
    const { timeZone } = this.json;
    const formatted = new Intl.DateTimeFormat(tag, { ...format, hourCycle: 'h23', timeZone, timeZoneName: 'short' });
    return formatted.format(epochSeconds * 1000);
  }
}
