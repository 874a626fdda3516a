import { Injectable } from '@nestjs/common';
import { OwnSecondFactor } from '../../auth/own/own-second-factor.service.js';
import { SECOND_FACTOR_PAGES, SIGN_IN_PAGE, SIGN_OUT_PATH, withReturnTo } from '../../auth/page-paths.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import type { PagePart, View } from '../../http/page/view.js';
import { MailQueue } from '../../mail/mail-queue.service.js';
import type { Messages } from '../../messages/messages.js';
import type { Principal } from '../../principal/principal.js';
import { MfaProperties } from '../../second-factor/mfa.properties.js';
import { CODE_ERRORS, rerenderOnError } from '../form/form-errors.js';
import type { FormFields } from '../form/forms.js';
import { PageForms } from '../form/page-forms.service.js';
import { lockPage } from './lock-page.js';
import { type CodeKind, verifyPage } from './verify-page.js';

/** What the page for a code shows beside the code. */
interface VerifyFacts {
  /** Where the flow ends. */
  readonly returnTo: string;
  readonly method: CodeKind;
  /** Set if only a one-time code helps. */
  readonly required?: 'otp';
  /** Form value of the time of the last proof when the form was first shown. */
  readonly proved?: string;
  readonly isTrusting?: boolean;
  readonly alert?: PagePart;
}

/** The pages that ask for a code, and the page of a lock that takes their place. */
@Injectable()
export class CodePages {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly forms: PageForms,
    private readonly policy: MfaProperties,
    private readonly mails: MailQueue,
  ) {}

  /** The form for a code, or the lock of the account. */
  async verify(caller: Principal, facts: VerifyFacts): Promise<View> {
    const { returnTo, method, required, proved = this.provedAt(caller), isTrusting, alert } = facts;
    const locked = await this.lock(caller, returnTo, alert);
    if (locked) return locked;
    const { trustedDeviceEnabled, trustedDeviceDays } = this.policy;
    const mayTrust = trustedDeviceEnabled && caller.kind === 'half' && caller.idp === undefined;
    return verifyPage({
      ...this.forms.forCaller(SECOND_FACTOR_PAGES.verify, caller, returnTo),
      ...{ kind: method, isStepUp: caller.kind === 'full', proved, signOut: this.signOut(caller) },
      ...withoutUndefined({ required, alert, isTrusting, trustDays: mayTrust ? trustedDeviceDays : undefined }),
    });
  }

  /** The page of the lock; undefined if the account is not locked. */
  async lock(caller: Principal, returnTo: string, alert?: PagePart): Promise<View | undefined> {
    const waitSeconds = await this.own.lockSeconds(caller);
    if (waitSeconds === undefined) return undefined;
    const isHalf = caller.kind === 'half';
    return lockPage({
      waitSeconds: waitSeconds === Infinity ? undefined : waitSeconds,
      isMailed: this.mails.isEnabled,
      // A lock ends half-authenticated sessions, and lasts longer than they do.
      retry: withReturnTo(this.forms.contextPath + (isHalf ? SIGN_IN_PAGE : SECOND_FACTOR_PAGES.verify), returnTo),
      ...withoutUndefined({ signOut: isHalf ? this.signOut(caller) : undefined, alert }),
    });
  }

  /**
   * Runs the step of a form with a code. A wrong code shows the form again; on a locked account, also by the last wrong code,
   * the lock takes its place. `wrongCode` is the text about a wrong code; by default that of its error.
   */
  showingErrors<T>(
    caller: Principal,
    returnTo: string,
    again: (alert: PagePart) => View | Promise<View>,
    step: () => Promise<T>,
    wrongCode?: (t: Messages) => string,
  ): Promise<T> {
    const page = async (alert: PagePart): Promise<View> => (await this.lock(caller, returnTo)) ?? again(alert);
    return rerenderOnError(CODE_ERRORS, page, step, ({ code }) =>
      code === 'MFA_CODE_INVALID' ? wrongCode : undefined,
    );
  }

  /** Form value of the time of the last proof of the second factor, in epoch seconds; 0 without a proof. */
  provedAt(caller: Principal): string {
    return String(caller.kind === 'full' ? (caller.mfaAt ?? 0) : 0);
  }

  /** The form that ends the sign-in. */
  signOut(caller: Principal): FormFields {
    return this.forms.forCaller(SIGN_OUT_PATH, caller);
  }
}
