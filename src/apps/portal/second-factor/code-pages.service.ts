import { Injectable } from '@nestjs/common';
import { hasSecondFactor } from '../../../identity/account/account.js';
import { OwnSecondFactor } from '../../../signin/auth/own/own-second-factor.service.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import {
  type OnlyFactor,
  SECOND_FACTOR_PAGES,
  secondFactorPage,
  SIGN_IN_PAGE,
  SIGN_OUT_PATH,
  withReturnTo,
} from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import type { PagePart, View } from '../../../platform/http/page/view.js';
import { MailQueue } from '../../../platform/mail/mail-queue.service.js';
import type { Messages } from '../../../platform/messages/messages.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { MfaProperties } from '../../../identity/second-factor/mfa.properties.js';
import type { FactorId } from '../../../identity/second-factor/second-factor.js';
import { CODE_ERRORS, rerenderOnError } from '../form/form-errors.js';
import type { FormFields } from '../form/forms.js';
import { PageForms } from '../form/page-forms.service.js';
import { lockPage } from './lock-page.js';
import { type CodeKind, verifyPage } from './verify-page.js';

/** What the page shows beside the methods of the caller. */
interface VerifyFacts {
  /** Where the flow ends. */
  readonly returnTo: string;
  /** The kind of code that the user has chosen, if any. */
  readonly method?: CodeKind | undefined;
  /** Set if only a one-time code helps, or only a passkey. */
  readonly required?: OnlyFactor;
  /** Form value of the time of the last proof when the form was first shown. */
  readonly proved?: string;
  readonly isTrusting?: boolean;
  readonly alert?: PagePart;
}

/** Texts of alerts by the error, in place of those of the catalogue. */
export type ErrorTexts = Readonly<Partial<Record<ErrorCode, (t: Messages, error: ServiceError) => string>>>;

/** How the errors of a form are shown. */
interface ShownErrors {
  /** Where the flow ends. */
  readonly returnTo: string;
  readonly required?: OnlyFactor | undefined;
  readonly texts?: ErrorTexts;
}

/** The pages that ask for a passkey or a code, and the page of a lock that takes their place. */
@Injectable()
export class CodePages {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly properties: MfaProperties,
    private readonly forms: PageForms,
    private readonly mails: MailQueue,
  ) {}

  /** The form for a passkey or a code. */
  async form(caller: Principal, facts: VerifyFacts): Promise<View> {
    const { returnTo, method, required, proved = this.provedAt(caller), isTrusting, alert } = facts;
    const methods = await this.methods(caller);
    const hasPasskey = methods.includes('passkey') && required !== 'otp';
    const kinds = required === 'passkey' && hasPasskey ? [] : methods.filter((each) => each !== 'passkey');
    const { trustedDeviceEnabled, trustedDeviceDays } = this.properties;
    const mayTrust = trustedDeviceEnabled && caller.kind === 'half' && caller.idp === undefined;
    return verifyPage({
      ...this.forms.forCaller(SECOND_FACTOR_PAGES.verify, caller, returnTo),
      ...{ hasPasskey, kinds },
      ...{ kind: kinds.find((each) => each === method) ?? kinds[0], isCodeChosen: method !== undefined },
      ...{ isStepUp: caller.kind === 'full', proved, signOut: this.signOut(caller) },
      ...withoutUndefined({ required, alert, isTrusting, trustDays: mayTrust ? trustedDeviceDays : undefined }),
    });
  }

  /** True if the caller has to set up an authenticator first. */
  async mustEnrol(caller: Principal): Promise<boolean> {
    const account = await this.reauthentication.accountOf(caller);
    return caller.kind === 'half' ? this.policy.lacksFactor(account) : !hasSecondFactor(account);
  }

  /** True for a signed-in user with a second factor but without the passkey that policy demands. */
  async mustAddPasskey(caller: Principal): Promise<boolean> {
    return caller.kind === 'full' && this.policy.lacksFactor(await this.reauthentication.accountOf(caller));
  }

  /** The page of the lock, from which the user tries again with the `required` factor; undefined if the account is not locked. */
  async lock(caller: Principal, returnTo: string, required?: OnlyFactor): Promise<View | undefined> {
    const waitSeconds = await this.own.lockSeconds(caller);
    if (waitSeconds === undefined) return undefined;
    const isHalf = caller.kind === 'half';
    return lockPage({
      waitSeconds: waitSeconds === Infinity ? undefined : waitSeconds,
      isMailed: this.mails.isEnabled,
      // A lock ends half-authenticated sessions, and lasts longer than they do.
      retry: isHalf
        ? withReturnTo(this.forms.contextPath + SIGN_IN_PAGE, returnTo)
        : secondFactorPage(this.forms.contextPath, 'verify', returnTo, required),
      ...withoutUndefined({ signOut: isHalf ? this.signOut(caller) : undefined }),
    });
  }

  /**
   * Runs the step of a form with a code or a passkey. A wrong one shows the form again; on a locked account, also by the last
   * wrong one, the lock takes its place. The errors of `texts` show the form again, too, with these texts.
   */
  showingErrors<T>(
    caller: Principal,
    { returnTo, required, texts = {} }: ShownErrors,
    again: (alert: PagePart) => View | Promise<View>,
    step: () => Promise<T>,
  ): Promise<T> {
    const page = async (alert: PagePart): Promise<View> =>
      (await this.lock(caller, returnTo, required)) ?? again(alert);
    const shown = new Set([...CODE_ERRORS, ...(Object.keys(texts) as ErrorCode[])]);
    return rerenderOnError(shown, page, step, (error) => {
      const text = texts[error.code];
      return text && ((t) => text(t, error));
    });
  }

  /** Form value of the time of the last proof of the second factor, in epoch seconds; 0 without a proof. */
  provedAt(caller: Principal): string {
    return String(caller.kind === 'full' ? (caller.mfaAt ?? 0) : 0);
  }

  /** The form that ends the sign-in. */
  signOut(caller: Principal): FormFields {
    return this.forms.forCaller(SIGN_OUT_PATH, caller);
  }

  /** How the caller can prove the second factor now. */
  private async methods(caller: Principal): Promise<readonly FactorId[]> {
    const account = await this.reauthentication.accountOf(caller);
    return caller.kind === 'half' ? this.policy.methods(account) : this.policy.stepUpMethods(account);
  }
}
