import { Injectable } from '@nestjs/common';
import { PasswordProperties } from '../../../identity/account/account.properties.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { rerenderOnError } from '../form/form-errors.js';
import { newPasswordText } from '../sign-in/new-password-text.js';
import { passwordPage } from './account-forms.js';
import { AccountForms, formErrorText } from './account-forms.service.js';
import { accountNotePage } from './account-page.js';
import { InlineStepUp } from './inline-step-up.service.js';

const TOLD: ReadonlySet<ErrorCode> = new Set([
  ...(['INVALID_CREDENTIALS', 'MFA_CODE_INVALID', 'MFA_LOCKED', 'RATE_LIMITED', 'STEP_UP_REQUIRED'] as const),
  ...(['VALIDATION_FAILED', 'CONFLICT'] as const),
]);

/** Creates the form for a new password, also after an error. */
@Injectable()
export class PasswordPages {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly stepUp: InlineStepUp,
    private readonly forms: AccountForms,
    private readonly passwords: PasswordProperties,
  ) {}

  /** The page with the form; staff, who have no password here, see a note instead. */
  async show(caller: FullPrincipal): Promise<View> {
    const { hasPassword } = await this.reauthentication.accountOf(caller);
    if (hasPassword) return this.page(caller);
    const text = ({ passwordChange }: Messages): string => passwordChange.staff;
    return accountNotePage(this.forms.navigationFor(caller), ({ passwordChange }) => passwordChange.title, text);
  }

  /** Runs the change; an error that the user can correct shows the form again, or the lock. */
  showingErrors<T>(caller: FullPrincipal, change: () => Promise<T>): Promise<T> {
    return rerenderOnError(
      TOLD,
      async (alert) => (await this.lock(caller)) ?? this.page(caller, alert),
      change,
      (error) => this.textOf(error),
    );
  }

  /**
   * The page of the lock; undefined for a caller who need not prove the second factor and may change the password of a
   * locked account.
   */
  private async lock(caller: FullPrincipal): Promise<View | undefined> {
    return (await this.stepUp.isNeeded(caller)) ? this.forms.lock(caller, ACCOUNT_PAGES.password) : undefined;
  }

  private async page(caller: FullPrincipal, alert?: PagePart): Promise<View> {
    const account = await this.reauthentication.accountOf(caller);
    const fields = await this.forms.fields(caller, ACCOUNT_PAGES.password, withoutUndefined({ alert }));
    return passwordPage(fields, account.loginId, this.passwords.minLength);
  }

  private textOf(error: ServiceError): ((t: Messages) => string) | undefined {
    if (error.code === 'INVALID_CREDENTIALS') return ({ passwordChange }) => passwordChange.wrongCurrent;
    return newPasswordText(error, this.passwords.minLength, 'new') ?? formErrorText(error);
  }
}
