import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { AddressConfirmations } from '../../../signin/recovery/address-confirmations.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { rerenderOnError } from '../form/form-errors.js';
import { addressPage } from './account-forms.js';
import { AccountForms, formErrorText } from './account-forms.service.js';
import { accountNotePage } from './account-page.js';
import { InlineStepUp } from './inline-step-up.service.js';

const TOLD: ReadonlySet<ErrorCode> = new Set([
  ...(['INVALID_CREDENTIALS', 'MFA_CODE_INVALID', 'MFA_LOCKED', 'RATE_LIMITED', 'STEP_UP_REQUIRED'] as const),
  'VALIDATION_FAILED',
]);

/** Creates the form for another mail address, also after an error. */
@Injectable()
export class AddressPages {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly stepUp: InlineStepUp,
    private readonly forms: AccountForms,
    private readonly confirmations: AddressConfirmations,
  ) {}

  /** The page with the form; staff see a note instead. @throws ServiceError `NOT_FOUND` without a mail relay */
  async show(caller: FullPrincipal): Promise<View> {
    if (!this.confirmations.isEnabled) throw new ServiceError('NOT_FOUND', { reason: 'no mail relay' });
    const account = await this.reauthentication.accountOf(caller);
    if (account.kind === 'local') return this.page(caller, account);
    const text = ({ account: texts }: Messages): string => texts.addressOfStaff;
    return accountNotePage(this.forms.navigationFor(caller), ({ addressChange }) => addressChange.title, text);
  }

  /** Runs the request; an error that the user can correct shows the form again with the address, or the lock. */
  showingErrors<T>(caller: FullPrincipal, typed: string, request: () => Promise<T>): Promise<T> {
    return rerenderOnError(
      TOLD,
      async (alert) =>
        (await this.lock(caller)) ?? this.page(caller, await this.reauthentication.accountOf(caller), { alert, typed }),
      request,
      textOf,
    );
  }

  /** The page of the lock, for a caller who must prove the second factor. */
  private async lock(caller: FullPrincipal): Promise<View | undefined> {
    return (await this.stepUp.isNeeded(caller)) ? this.forms.lock(caller, ACCOUNT_PAGES.email) : undefined;
  }

  private async page(
    caller: FullPrincipal,
    account: Account,
    { alert, typed = '' }: { readonly alert?: PagePart; readonly typed?: string } = {},
  ): Promise<View> {
    const fields = await this.forms.fields(caller, ACCOUNT_PAGES.email, withoutUndefined({ alert }));
    return addressPage(fields, { typed, asksPassword: !hasSecondFactor(account) });
  }
}

function textOf(error: ServiceError): ((t: Messages) => string) | undefined {
  if (error.code === 'INVALID_CREDENTIALS') return ({ passwordChange }) => passwordChange.wrongCurrent;
  if (error.facts.reason === 'link requested') return ({ addressChange }) => addressChange.soon;
  if (error.facts.errors?.[0]?.field === 'email') return ({ addressChange }) => addressChange.bad;
  return formErrorText(error);
}
