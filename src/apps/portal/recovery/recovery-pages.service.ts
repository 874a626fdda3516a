import { Injectable } from '@nestjs/common';
import { PasswordProperties } from '../../../identity/account/account.properties.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { IssuedAccessCode } from '../../../identity/second-factor/access-code/access-code.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import { MailQueue } from '../../../platform/mail/mail-queue.service.js';
import { LINK_PAGES, LINK_TOKEN, type LinkKind } from '../../../signin/recovery/account-link.js';
import { AccountLinks } from '../../../signin/recovery/account-links.service.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { rerenderOnError, withForm } from '../form/form-errors.js';
import type { FormFields } from '../form/forms.js';
import { FormerSessions } from '../home/former-sessions.service.js';
import { PageForms } from '../form/page-forms.service.js';
import { newPasswordText } from '../sign-in/new-password-text.js';
import { choosePasswordPage, confirmLinkPage, linkDonePage, linkInvalidPage } from './recovery-pages.js';

const WEAK: ReadonlySet<ErrorCode> = new Set(['VALIDATION_FAILED', 'UNAVAILABLE']);
const INVALID: ReadonlySet<ErrorCode> = new Set(['LINK_INVALID']);

/** The texts of the pages by the kind of link. */
const PAGES = {
  'password-reset': 'reset',
  invitation: 'invitation',
  unlock: 'unlock',
  'not-me': 'notMe',
  email: 'email',
} as const satisfies Record<LinkKind, string>;

/** Links whose user signs in next. */
const PASSWORDS: ReadonlySet<LinkKind> = new Set(['password-reset', 'invitation']);

/** The values of a link in the query of its page or in its form. */
interface LinkQuery {
  readonly token: string;
  readonly return_to?: string | undefined;
  readonly done?: string | undefined;
}

/** Creates the pages of mailed links; showing a page changes nothing. */
@Injectable()
export class RecoveryPages {
  constructor(
    private readonly links: AccountLinks,
    private readonly forms: PageForms,
    private readonly passwords: PasswordProperties,
    private readonly mails: MailQueue,
    private readonly former: FormerSessions,
  ) {}

  /** True if a relay is configured, so that users can request links. */
  get canMail(): boolean {
    return this.mails.isEnabled;
  }

  /** The page with the form of a link, or the one after the form. @throws ServiceError `LINK_INVALID` with its page */
  async show(kind: LinkKind, query: LinkQuery, reply: Reply, alert?: PagePart): Promise<View> {
    const { token, done } = query;
    if (done !== undefined && kind !== 'not-me') return linkDonePage(PAGES[kind], this.fields(kind, query, reply));
    const valid = await this.links.peek(kind, token);
    if (!valid) throw await this.invalid(kind, new ServiceError('LINK_INVALID', { reason: 'link unknown' }), query);
    // The address that a link confirms may belong to another person, who learns nothing about the account.
    const subject = valid.email ?? valid.account.loginId;
    const fields = { ...this.fields(kind, query, reply), token, subject, ...withoutUndefined({ alert }) };
    const page = PAGES[kind];
    return page === 'reset' || page === 'invitation'
      ? choosePasswordPage(page, fields, this.passwords.minLength)
      : confirmLinkPage(page, fields);
  }

  /** Fields of the form of a link. The address without its token shows what the form has done. */
  fields(kind: LinkKind, { token, return_to: returnTo }: LinkQuery, reply: Reply): FormFields {
    const fields = this.forms.forVisitor(LINK_PAGES[kind], reply, returnTo);
    return { ...fields, address: `${fields.address}&${LINK_TOKEN}=${encodeURIComponent(token)}` };
  }

  /** Runs the act of a link, and confirms it. */
  async finish(
    kind: Exclude<LinkKind, 'not-me'>,
    query: LinkQuery,
    reply: Reply,
    step: () => Promise<unknown>,
  ): Promise<View> {
    await this.act(kind, query, reply, step);
    return this.confirm(kind, query, reply);
  }

  /** The page after the act of a link, with the access code that the act may have issued. */
  async confirm(
    kind: Exclude<LinkKind, 'not-me'>,
    query: LinkQuery,
    reply: Reply,
    issued?: IssuedAccessCode,
  ): Promise<View> {
    // The owner of the link signs in next, and the browser may be signed in as another user.
    if (PASSWORDS.has(kind)) await this.former.end(reply);
    return linkDonePage(PAGES[kind], this.fields(kind, { ...query, token: '' }, reply), issued);
  }

  /** Runs the act of a link; a weak password shows the form again, and an invalid link has its page. */
  async act<T>(kind: LinkKind, query: LinkQuery, reply: Reply, step: () => Promise<T>): Promise<T> {
    try {
      return await rerenderOnError(
        WEAK,
        (alert) => this.show(kind, query, reply, alert),
        step,
        (error) => newPasswordText(error, this.passwords.minLength, 'new'),
      );
    } catch (error) {
      const isInvalid = error instanceof ServiceError && INVALID.has(error.code);
      throw isInvalid ? await this.invalid(kind, error, query) : error;
    }
  }

  private invalid(kind: LinkKind, error: ServiceError, query: LinkQuery): Promise<ServiceError> {
    const returnTo = this.forms.returnTarget(query.return_to);
    const canRequest = kind === 'password-reset' && this.canMail;
    return withForm(error, (problem) => linkInvalidPage(canRequest, problem, returnTo));
  }
}
