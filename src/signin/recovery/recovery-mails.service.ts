import { Injectable } from '@nestjs/common';
import { Accounts } from '../../identity/account/accounts.service.js';
import { MailComposer } from '../messages/mail-composer.service.js';
import type { ComposedMail, QueuedMail } from '../../platform/mail/mail-message.js';
import { MailTemplates } from '../../platform/mail/mail-templates.service.js';
import type { LinkKind } from './account-link.js';
import { AccountLinks } from './account-links.service.js';

/** Names of the mail templates. */
export const TEMPLATES = {
  reset: 'password-reset',
  resetAfterReport: 'password-reset-by-not-me',
  invitation: 'invitation',
} as const;

/** The fact of a mail that goes only to the address of this version. */
export const ADDRESS_VERSION = 'addressVersion';

/** The fact of a mail whose link says where the sign-in afterwards leads. */
export const RETURN_TO = 'returnTo';

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
    private readonly composer: MailComposer,
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
    const { loginId, email: to, emailVersion } = account;
    // Whoever changed the address after a report gets no link.
    if (Number(facts[ADDRESS_VERSION] ?? emailVersion) !== emailVersion) return undefined;
    const link = links[LINK_OF[name]];
    if (!link || to === undefined) return undefined;
    const reader = { to, name: account.displayName, language: account.language, requested: facts['language'] };
    const target = facts[RETURN_TO] === undefined ? '' : `&return_to=${encodeURIComponent(facts[RETURN_TO])}`;
    return this.composer.compose(reader, ({ messages: { recovery }, timeText }) => {
      const { title, text, link: label, more } = recovery[name];
      const lines = [
        [recovery.username, loginId],
        [recovery.validUntil, timeText(link.expiresAt * 1000)],
      ] as const;
      const parts = [
        { kind: 'text', text },
        { kind: 'facts', facts: lines },
        { kind: 'link', label, url: link.url + target },
        { kind: 'text', text: more },
      ] as const;
      return { title, parts };
    });
  }
}
