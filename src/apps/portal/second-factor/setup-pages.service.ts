import { Injectable } from '@nestjs/common';
import { hasSecondFactor } from '../../../identity/account/account.js';
import { OwnEnrolment } from '../../../signin/auth/own/own-enrolment.service.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { SECOND_FACTOR_PAGES, withReturnTo } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { PagePart, View } from '../../../platform/http/page/view.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { PageForms } from '../form/page-forms.service.js';
import { type ChoiceFields, choicePage } from './choice-page.js';
import { CodePages } from './code-pages.service.js';
import type { SetupFields } from './setup-pages.js';

const { enrol: SETUP_PATH, passkey: PASSKEY_PATH } = SECOND_FACTOR_PAGES;

/** Which authenticators a caller may set up on the pages of the second factor. */
@Injectable()
export class SetupChoices {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly ownEnrolment: OwnEnrolment,
    private readonly forms: PageForms,
    private readonly pages: CodePages,
  ) {}

  /** The page on which the caller chooses. */
  async page(caller: Principal, returnTo: string | undefined, alert?: PagePart): Promise<View> {
    const { app, passkey } = await this.of(caller);
    const pending = await this.ownEnrolment.pending(caller);
    const fields = (path: string): SetupFields => this.fields(path, caller, returnTo);
    return choicePage({
      ...withoutUndefined({ signOut: fields(SETUP_PATH).signOut, alert }),
      ...(app && {
        app: { form: fields(SETUP_PATH), change: app.change, pending: pending?.isOwn === true ? undefined : pending },
      }),
      ...(passkey && { passkey: { form: fields(PASSKEY_PATH), ...passkey } }),
    });
  }

  /** Path of the page on which the caller may choose a passkey in place of the app; undefined if there is no choice. */
  async pathBesideApp(caller: Principal, returnTo: string | undefined): Promise<string | undefined> {
    if (!(await this.of(caller)).passkey) return undefined;
    return `${withReturnTo(this.forms.contextPath + SETUP_PATH, this.forms.returnTarget(returnTo))}&choose=true`;
  }

  /** A form of the setup. */
  fields(path: string, caller: Principal, returnTo: string | undefined, alert?: PagePart): SetupFields {
    const signOut = caller.kind === 'half' ? this.pages.signOut(caller) : undefined;
    return { ...this.forms.forCaller(path, caller, returnTo), ...withoutUndefined({ alert, signOut }) };
  }

  /** A signed-in user with a second factor adds passkeys on the page of the account. */
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
