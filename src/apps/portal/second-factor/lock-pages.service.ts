import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { html } from '../../../kernel/encoding/html.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import { MailQueue } from '../../../platform/mail/mail-queue.service.js';
import { OwnSecondFactor } from '../../../signin/auth/own/own-second-factor.service.js';
import { type OnlyFactor, secondFactorPage, SIGN_IN_PAGE, withReturnTo } from '../../../signin/auth/page-paths.js';
import { note, paragraph } from '../form/forms.js';
import { PageForms } from '../form/page-forms.service.js';
import { lockPage } from './lock-page.js';

/** Creates the page of a locked account, which replaces the form for a passkey or a code. */
@Injectable()
export class LockPages {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly forms: PageForms,
    private readonly mails: MailQueue,
  ) {}

  /** A warning before the attempt that locks the account if it fails; undefined before any other. */
  async warning(caller: Principal): Promise<PagePart | undefined> {
    if (!(await this.own.isLastAttempt(caller))) return undefined;
    return ({ t }) => note('warn', paragraph(t.verify.lastAttempt));
  }

  /** The alert of a form for a passkey or a code, with the warning. */
  async warned(caller: Principal, alert: PagePart): Promise<PagePart> {
    const warning = await this.warning(caller);
    return warning ? (context) => html`${alert(context)}${warning(context)}` : alert;
  }

  /** The page from which the user tries again with the `required` factor; undefined if the account is not locked. */
  async of(caller: Principal, returnTo: string, required?: OnlyFactor): Promise<View | undefined> {
    const waitSeconds = await this.own.lockSeconds(caller);
    if (waitSeconds === undefined) return undefined;
    const isHalf = caller.kind === 'half';
    const address = secondFactorPage(this.forms.contextPath, 'verify', returnTo, required);
    return lockPage({
      address,
      waitSeconds: waitSeconds === Infinity ? undefined : waitSeconds,
      isMailed: this.mails.isEnabled,
      // A lock ends half-authenticated sessions and outlasts them.
      retry: isHalf ? withReturnTo(this.forms.contextPath + SIGN_IN_PAGE, returnTo) : address,
      ...withoutUndefined({ signOut: isHalf ? this.forms.signOut(caller, returnTo) : undefined }),
    });
  }
}
