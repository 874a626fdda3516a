import { Injectable } from '@nestjs/common';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { type OnlyFactor, SECOND_FACTOR_PAGES } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Account } from '../../../identity/account/account.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { MfaProperties } from '../../../identity/second-factor/mfa.properties.js';
import type { FactorId } from '../../../identity/second-factor/second-factor.js';
import { CODE_ERRORS, rerenderOnError } from '../form/form-errors.js';
import { PageForms } from '../form/page-forms.service.js';
import { LockPages } from './lock-pages.service.js';
import { type CodeKind, verifyPage } from './verify-page.js';

/** Content of the page besides the methods of the caller. */
interface VerifyFacts {
  /** Target of the redirect at the end of the flow. */
  readonly returnTo: string;
  /** The kind of code that the user has chosen; undefined if none. */
  readonly method?: CodeKind | undefined;
  /** The only accepted factor; undefined if the step accepts any. */
  readonly required?: OnlyFactor;
  /** Form value of the time of the last proof when the form was first shown. */
  readonly proved?: string;
  readonly isTrusting?: boolean;
  readonly alert?: PagePart;
  readonly warning?: PagePart;
}

/** Alert texts by error code, in place of those of the catalogue. */
export type ErrorTexts = Readonly<Partial<Record<ErrorCode, (t: Messages, error: ServiceError) => string>>>;

/** Options for showing the errors of a form. */
interface ShownErrors {
  /** Target of the redirect at the end of the flow. */
  readonly returnTo: string;
  readonly required?: OnlyFactor | undefined;
  readonly texts?: ErrorTexts;
}

/** Creates the pages that ask for a passkey or a code. */
@Injectable()
export class CodePages {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly properties: MfaProperties,
    private readonly forms: PageForms,
    private readonly locks: LockPages,
  ) {}

  /** The form for a passkey or a code; on a locked account, the lock takes its place. */
  async formOrLock(caller: Principal, facts: VerifyFacts): Promise<View> {
    const lock = await this.locks.of(caller, facts.returnTo, facts.required);
    return lock ?? this.form(caller, { ...facts, ...withoutUndefined({ warning: await this.locks.warning(caller) }) });
  }

  /** The form for a passkey or a code. */
  async form(caller: Principal, facts: VerifyFacts): Promise<View> {
    const { returnTo, method, required, proved = provedAt(caller), isTrusting, alert, warning } = facts;
    const account = await this.reauthentication.accountOf(caller);
    const methods = this.methods(caller, account);
    const hasPasskey = methods.includes('passkey') && required !== 'otp';
    const kinds = required === 'passkey' && hasPasskey ? [] : methods.filter((each) => each !== 'passkey');
    const { trustedDeviceEnabled, trustedDeviceDays } = this.properties;
    const mayTrust = trustedDeviceEnabled && caller.kind === 'half' && caller.idp === undefined;
    return verifyPage({
      ...this.forms.forCaller(SECOND_FACTOR_PAGES.verify, caller, returnTo),
      ...{ hasPasskey, kinds },
      ...{ kind: kinds.find((each) => each === method) ?? kinds[0], isCodeChosen: method !== undefined },
      ...{ isStepUp: caller.kind === 'full', proved, signOut: this.forms.signOut(caller, returnTo) },
      loginId: account.loginId,
      ...withoutUndefined({
        required,
        alert,
        warning,
        isTrusting,
        trustDays: mayTrust ? trustedDeviceDays : undefined,
      }),
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
      (await this.locks.of(caller, returnTo, required)) ?? again(await this.locks.warned(caller, alert));
    const shown = new Set([...CODE_ERRORS, ...(Object.keys(texts) as ErrorCode[])]);
    return rerenderOnError(shown, page, step, (error) => {
      const text = texts[error.code];
      return text && ((t) => text(t, error));
    });
  }

  /** Methods by which the caller can prove the second factor now. */
  private methods(caller: Principal, account: Account): readonly FactorId[] {
    return caller.kind === 'half' ? this.policy.methods(account, caller.amr) : this.policy.stepUpMethods(account);
  }
}

/** Form value of the time of the last proof of the second factor, in epoch seconds; 0 without a proof. */
export function provedAt(caller: Principal): string {
  return String(caller.kind === 'full' ? (caller.mfaAt ?? 0) : 0);
}
