import { Injectable } from '@nestjs/common';
import { hasSecondFactor } from '../../../identity/account/account.js';
import { OwnEnrolment } from '../../../signin/auth/own/own-enrolment.service.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { SECOND_FACTOR_PAGES, withReturnTo } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import type { ShownPendingSecret } from '../../../identity/second-factor/enrolment/pending-secrets.service.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { CodesOwner } from '../../../identity/second-factor/backup-code/shown-codes.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { PageForms } from '../form/page-forms.service.js';
import { type ChoiceFields, choicePage } from './choice-page.js';
import { CodesPages, type NewCodes } from './codes-pages.service.js';
import { accessCodePage, confirmPage, secretPage, type SetupFields } from './setup-pages.js';

const { confirm: CONFIRM_PATH, enrol: SETUP_PATH, passkey: PASSKEY_PATH } = SECOND_FACTOR_PAGES;
/** Errors after which the page shows the form for the code, but not the secret. */
const HIDING: ReadonlySet<ErrorCode> = new Set(['STEP_UP_REQUIRED', 'MFA_LOCKED', 'MFA_STATE_CONFLICT']);

/**
 * Creates the pages on which a caller sets up an authenticator, and decides which ones the caller may or must set up.
 */
@Injectable()
export class SetupPages {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly ownEnrolment: OwnEnrolment,
    private readonly forms: PageForms,
    private readonly codesPages: CodesPages,
  ) {}

  /** True if the caller must set up an authenticator first. */
  async mustEnrol(caller: Principal): Promise<boolean> {
    const account = await this.reauthentication.accountOf(caller);
    return caller.kind === 'half' ? this.policy.lacksFactor(account) : !hasSecondFactor(account);
  }

  /** True for a signed-in user with a second factor who lacks the passkey that policy requires. */
  async mustAddPasskey(caller: Principal): Promise<boolean> {
    return caller.kind === 'full' && this.policy.lacksFactor(await this.reauthentication.accountOf(caller));
  }

  /** The page on which the caller chooses an authenticator. */
  async page(caller: Principal, returnTo: string | undefined, alert?: PagePart): Promise<View> {
    const { app, passkey } = await this.of(caller);
    const pending = await this.ownEnrolment.pending(caller);
    const { signOut, loginId, address, ...form } = await this.fields(SETUP_PATH, caller, returnTo);
    return choicePage({
      ...withoutUndefined({ signOut, alert }),
      ...{ loginId, address: `${address}&choose=true` },
      ...(app && {
        app: { form: { ...form, address }, change: app.change, pending: pending?.isOwn === true ? undefined : pending },
      }),
      ...(passkey && { passkey: { form: this.forms.forCaller(PASSKEY_PATH, caller, returnTo), ...passkey } }),
    });
  }

  /** The page that asks for the temporary access code, before the caller chooses an authenticator. */
  async accessCodePage(caller: Principal, returnTo: string | undefined, alert?: PagePart): Promise<View> {
    return accessCodePage(await this.fields(SETUP_PATH, caller, returnTo, alert));
  }

  /** Shows the pending secret again, or only the form for its code if the login is too old to see the secret. */
  async pendingPage(caller: Principal, returnTo: string | undefined, alert?: PagePart): Promise<View> {
    const fields = await this.fields(CONFIRM_PATH, caller, returnTo, alert);
    const shown = await this.shown(caller);
    if (!shown) return confirmPage(fields);
    const choice = await this.pathBesideApp(caller, returnTo);
    return secretPage(fields, { ...shown, choice, hasCodes: shown.change !== 'add' });
  }

  /** The pending secret; undefined if the login is too old to see it, or has ended. */
  private async shown(caller: Principal): Promise<ShownPendingSecret | undefined> {
    try {
      return await this.ownEnrolment.shown(caller);
    } catch (error) {
      if (error instanceof ServiceError && HIDING.has(error.code)) return undefined;
      throw error;
    }
  }

  /** Path of the page on which the caller may choose a passkey in place of the app; undefined if there is no choice. */
  private async pathBesideApp(caller: Principal, returnTo: string | undefined): Promise<string | undefined> {
    if (!(await this.of(caller)).passkey) return undefined;
    return `${withReturnTo(this.forms.contextPath + SETUP_PATH, this.forms.returnTarget(returnTo))}&choose=true`;
  }

  /** Keeps new codes for a session; returns the path of their page. */
  codesUrl(owner: CodesOwner, codes: NewCodes, returnTo: string): Promise<string> {
    return this.codesPages.keep(owner, codes, returnTo);
  }

  /** Fields of a form of the setup. */
  async fields(path: string, caller: Principal, returnTo: string | undefined, alert?: PagePart): Promise<SetupFields> {
    const { loginId } = await this.reauthentication.accountOf(caller);
    const signOut = caller.kind === 'half' ? this.forms.signOut(caller, returnTo) : undefined;
    const form = this.forms.forCaller(path, caller, returnTo);
    // A GET at the paths of the later forms leads to the first page of the setup as well.
    const address = withReturnTo(this.forms.contextPath + SETUP_PATH, form.returnTo);
    return { ...form, address, loginId, ...withoutUndefined({ alert, signOut }) };
  }

  /**
   * The authenticators that the caller may set up here; a signed-in user with a second factor adds passkeys on the
   * account page.
   */
  private async of(caller: Principal): Promise<{
    readonly app?: Pick<NonNullable<ChoiceFields['app']>, 'change'>;
    readonly passkey?: Pick<NonNullable<ChoiceFields['passkey']>, 'asksForCode'>;
  }> {
    const account = await this.reauthentication.accountOf(caller);
    const isHalf = caller.kind === 'half';
    const methods = this.policy.enrolmentMethods(account, { forLogin: isHalf });
    const hasFactor = hasSecondFactor(account);
    const change = !hasFactor ? 'first' : account.totpCount > 0 ? 'replace' : 'add';
    return {
      ...(methods.includes('totp') && { app: { change } }),
      ...(methods.includes('passkey') && (isHalf || !hasFactor) && { passkey: { asksForCode: hasFactor } }),
    };
  }
}
