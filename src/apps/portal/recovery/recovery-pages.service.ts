import { Injectable } from '@nestjs/common';
import { PasswordProperties } from '../../../identity/account/account.properties.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import { MailQueue } from '../../../platform/mail/mail-queue.service.js';
import { LINK_PAGES, type LinkKind } from '../../../signin/recovery/account-link.js';
import { AccountLinks } from '../../../signin/recovery/account-links.service.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { rerenderOnError, withForm } from '../form/form-errors.js';
import { PageForms } from '../form/page-forms.service.js';
import { newPasswordText } from '../sign-in/new-password-text.js';
import { choosePasswordPage, confirmLinkPage, linkInvalidPage } from './recovery-pages.js';

const WEAK: ReadonlySet<ErrorCode> = new Set(['VALIDATION_FAILED', 'UNAVAILABLE']);
const INVALID: ReadonlySet<ErrorCode> = new Set(['LINK_INVALID']);

/** Creates the pages of mailed links; showing a page changes nothing. */
@Injectable()
export class RecoveryPages {
  constructor(
    private readonly links: AccountLinks,
    private readonly forms: PageForms,
    private readonly passwords: PasswordProperties,
    private readonly mails: MailQueue,
  ) {}

  /** True if a relay is configured, so that users can request links. */
  get canMail(): boolean {
    return this.mails.isEnabled;
  }

  /** The page with the form of a link. @throws ServiceError `LINK_INVALID` with its page */
  async show(kind: LinkKind, token: string, reply: Reply, alert?: PagePart): Promise<View> {
    const valid = await this.links.peek(kind, token);
    if (!valid) throw await this.invalid(kind, new ServiceError('LINK_INVALID', { reason: 'link unknown' }));
    const path = LINK_PAGES[kind];
    // The address that a link confirms may belong to another person, who learns nothing about the account.
    const subject = valid.email ?? valid.account.loginId;
    const fields = { ...this.forms.forVisitor(path, reply), token, subject, ...withoutUndefined({ alert }) };
    switch (kind) {
      case 'password-reset':
        return choosePasswordPage('reset', fields, this.passwords.minLength);
      case 'invitation':
        return choosePasswordPage('invitation', fields, this.passwords.minLength);
      case 'unlock':
        return confirmLinkPage('unlock', fields);
      case 'not-me':
        return confirmLinkPage('notMe', fields);
      case 'email':
        return confirmLinkPage('email', fields);
    }
  }

  /** Runs the act of a link; a weak password shows the form again, and an invalid link has its page. */
  async act<T>(kind: LinkKind, token: string, reply: Reply, step: () => Promise<T>): Promise<T> {
    try {
      return await rerenderOnError(
        WEAK,
        (alert) => this.show(kind, token, reply, alert),
        step,
        (error) => newPasswordText(error, this.passwords.minLength, 'new'),
      );
    } catch (error) {
      throw error instanceof ServiceError && INVALID.has(error.code) ? await this.invalid(kind, error) : error;
    }
  }

  private invalid(kind: LinkKind, error: ServiceError): Promise<ServiceError> {
    return withForm(error, (problem) => linkInvalidPage(kind === 'password-reset' && this.canMail, problem));
  }
}
