import { Injectable } from '@nestjs/common';
import { Accounts } from '../../identity/account/accounts.service.js';
import { ADDRESS_TEMPLATES } from '../../identity/account/address-notices.service.js';
import { Clock } from '../../kernel/clock/clock.js';
import { MailComposer } from '../../signin/messages/mail-composer.service.js';
import type { ComposedMail, QueuedMail } from '../../platform/mail/mail-message.js';
import { MailTemplates } from '../../platform/mail/mail-templates.service.js';
import type { LinkKind } from '../../signin/recovery/account-link.js';
import { AccountLinks } from '../../signin/recovery/account-links.service.js';
import { NOTICE_KINDS, type NoticeKind, noticeFactsOf, templateOf } from './notice.js';
import { addedAddressContent, type NoticeContext, noticeContent } from './notice-mail.js';

/** Links of a notice: each has one to report the act, and the notice about a lock also one to end it. */
function linksOf(kind: NoticeKind): readonly LinkKind[] {
  return kind === 'locked' ? ['not-me', 'unlock'] : ['not-me'];
}

/** Composes notices at the time of sending, with the current address and links of the account. */
@Injectable()
export class NoticeMails {
  constructor(
    private readonly accounts: Accounts,
    private readonly links: AccountLinks,
    private readonly clock: Clock,
    private readonly composer: MailComposer,
    templates: MailTemplates,
  ) {
    for (const kind of NOTICE_KINDS) templates.register(templateOf(kind), (mail) => this.compose(kind, mail));
    templates.register(ADDRESS_TEMPLATES.new, (mail) => this.composeAdded(mail));
  }

  private async compose(kind: NoticeKind, { subject, facts }: QueuedMail): Promise<ComposedMail | undefined> {
    const known = await this.accounts.find(subject);
    if (!known || (facts['to'] ?? known.email) === undefined) return undefined;
    // An account that is not active gets the notice without links.
    const created = await this.links.create(subject, linksOf(kind), { toFormerAddress: facts['to'] !== undefined });
    // The address may have changed since it was read, and only the user of the new one may have the links.
    const account = created?.account ?? known;
    const to = facts['to'] ?? account.email;
    if (to === undefined) return undefined;
    const { 'not-me': notMe, unlock } = created?.links ?? {};
    const context: NoticeContext = {
      loginId: account.loginId,
      notMeUrl: notMe?.url,
      unlock: unlock && { url: unlock.url, minutes: Math.ceil((unlock.expiresAt - this.clock.seconds()) / 60) },
    };
    const reader = { to, name: account.displayName, language: account.language };
    return this.composer.compose(reader, (texts) => noticeContent(kind, noticeFactsOf(facts), context, texts));
  }

  /**
   * Composes the mail to a new address, which may belong to another person and therefore learns nothing about the
   * account.
   */
  private async composeAdded({ subject, facts: { to } }: QueuedMail): Promise<ComposedMail | undefined> {
    const account = await this.accounts.find(subject);
    if (!account || to === undefined) return undefined;
    return this.composer.compose({ to, language: account.language }, addedAddressContent);
  }
}
