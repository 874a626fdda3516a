import { Injectable } from '@nestjs/common';
import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { CODE_ERRORS, OF_PASSKEY, rerenderOnError } from '../form/form-errors.js';
import { PageForms } from '../form/page-forms.service.js';
import type { FormFields } from '../form/forms.js';
import type { NavigationFields } from '../home/navigation.js';
import { Navigation } from '../home/navigation.service.js';
import { CodesPages, type NewCodes, ownerOf } from '../second-factor/codes-pages.service.js';
import { LockPages } from '../second-factor/lock-pages.service.js';
import type { AccountFormFields } from './account-form.js';
import type { Done } from './account.schema.js';
import { InlineStepUp } from './inline-step-up.service.js';

/** A form, and the function that renders it again after an error. */
interface ShownForm {
  readonly path: string;
  readonly asksAlways?: boolean;
  readonly page: (fields: AccountFormFields) => View;
}

/**
 * Creates the forms of account security. A form asks for the second factor if its last proof is too old or too weak.
 */
@Injectable()
export class AccountForms {
  constructor(
    private readonly forms: PageForms,
    private readonly navigation: Navigation,
    private readonly stepUp: InlineStepUp,
    private readonly locks: LockPages,
    private readonly codesPages: CodesPages,
  ) {}

  /**
   * Fields of a form that is sent to `path`. The form asks for the second factor if the last proof is too old or too
   * weak, or always with `asksAlways`.
   */
  async fields(
    caller: FullPrincipal,
    path: string,
    { alert, asksAlways = false }: { readonly alert?: PagePart; readonly asksAlways?: boolean } = {},
  ): Promise<AccountFormFields> {
    return {
      ...this.forms.forCaller(path, caller),
      navigation: this.navigationFor(caller),
      ...withoutUndefined({ alert, proof: await this.stepUp.proofMethods(caller, { asksAlways }) }),
    };
  }

  /** Runs the step of the form at `path`; an error that the user can correct shows the form again, or the lock. */
  showingErrors<T>(
    caller: FullPrincipal,
    { path, asksAlways = false, page }: ShownForm,
    step: () => Promise<T>,
  ): Promise<T> {
    const withoutProof = async (): Promise<T> => {
      try {
        return await step();
      } catch (error) {
        // The proof has become too old or too weak since the form was shown, so the form asks for a new one.
        if (!(error instanceof ServiceError) || error.code !== 'STEP_UP_REQUIRED') throw error;
        throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'code', code: 'required' }] });
      }
    };
    const again = async (alert: PagePart): Promise<View> =>
      (await this.lock(caller, path)) ??
      page(await this.fields(caller, path, { alert: await this.locks.warned(caller, alert), asksAlways }));
    return rerenderOnError(CODE_ERRORS, again, withoutProof, formErrorText);
  }

  /** The page of the lock, which leads to `path`; undefined if the account is not locked. */
  async lock(caller: FullPrincipal, path: string): Promise<View | undefined> {
    return this.locks.of(caller, this.urlOf(path), await this.stepUp.onlyFactor(caller));
  }

  navigationFor(caller: FullPrincipal): NavigationFields {
    return this.navigation.for(caller, 'security');
  }

  /** Fields of a form that asks for no proof of the second factor. */
  plain(caller: FullPrincipal, path: string): FormFields {
    return this.forms.forCaller(path, caller);
  }

  /** Redirects to the overview, which confirms the act. */
  overviewAfter(done: Done): { readonly url: string } {
    return { url: `${this.urlOf(ACCOUNT_PAGES.security)}?done=${done}` };
  }

  /** Keeps new backup codes; redirects to their page, and from there to the overview. */
  async codesAfter(caller: FullPrincipal, codes: NewCodes): Promise<{ readonly url: string }> {
    return { url: await this.codesPages.keep(ownerOf(caller), codes, this.urlOf(ACCOUNT_PAGES.security)) };
  }

  get contextPath(): string {
    return this.forms.contextPath;
  }

  urlOf(path: string): string {
    return this.contextPath + path;
  }
}

/** The text about an error of a form; undefined selects the text of its code. */
export function formErrorText({ code, facts }: ServiceError): ((t: Messages) => string) | undefined {
  if (facts.reason === 'wrong_backup_code') return ({ verify }) => verify.wrongBackupCode;
  if (code === 'MFA_CODE_INVALID') return OF_PASSKEY.has(facts.reason) ? ({ passkey }) => passkey.rejected : undefined;
  const [fieldError] = facts.errors ?? [];
  if (fieldError?.field === 'name') return ({ authenticators }) => authenticators.badName;
  if (fieldError?.field !== 'code') return undefined;
  return fieldError.code === 'required' ? ({ account }) => account.proofMissing : ({ verify }) => verify.malformedAny;
}
