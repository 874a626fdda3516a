import { Injectable } from '@nestjs/common';
import { hasSecondFactor } from '../../../identity/account/account.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { SECOND_FACTOR_PAGES, withReturnTo } from '../../../signin/auth/page-paths.js';
import { rerenderOnError } from '../form/form-errors.js';
import { PageForms } from '../form/page-forms.service.js';
import { signInAgainPath } from '../sign-in/sign-in-page.js';
import { CodePages, type ErrorTexts } from './code-pages.service.js';
import { ReauthenticationLinks } from './reauthentication-links.service.js';
import { proveAgainPage } from './setup-pages.js';
import type { ReauthenticationLink } from './verify-page.js';

const STALE: ReadonlySet<ErrorCode> = new Set(['STEP_UP_REQUIRED']);

/** Runs the steps of the setup of an authenticator, and links to the proof that a step lacks. */
@Injectable()
export class SetupSteps {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly forms: PageForms,
    private readonly pages: CodePages,
    private readonly links: ReauthenticationLinks,
  ) {}

  /**
   * Runs a step of the setup. If the step needs another proof, the error page links to the page for that proof, which
   * then returns to the setup.
   */
  offeringProof<T>(caller: Principal, returnPath: string, step: () => Promise<T>): Promise<T> {
    return rerenderOnError(
      STALE,
      async (alert) => proveAgainPage(alert, await this.beforeSetup(caller, returnPath)),
      step,
    );
  }

  /** Like `offeringProof`; the errors of the form show `again`, or the lock. */
  showingErrors<T>(
    caller: Principal,
    shown: { readonly returnTo: string; readonly texts: ErrorTexts },
    again: (alert: PagePart) => View | Promise<View>,
    step: () => Promise<T>,
  ): Promise<T> {
    return this.offeringProof(caller, shown.returnTo, () => this.pages.showingErrors(caller, shown, again, step));
  }

  /**
   * Link to the page for a proof, which returns to the setup and finally redirects to `returnPath`; undefined if there
   * is no such page.
   */
  private async beforeSetup(caller: Principal, returnPath: string): Promise<ReauthenticationLink | undefined> {
    const setupPath = withReturnTo(this.forms.contextPath + SECOND_FACTOR_PAGES.enrol, returnPath);
    const account = caller.kind === 'full' ? await this.reauthentication.accountOf(caller) : undefined;
    if (account && hasSecondFactor(account)) {
      return { label: ({ verify }) => verify.titleStepUp, path: this.links.proofForChanges(account, setupPath) };
    }
    if (caller.idp === undefined)
      return { label: ({ setup }) => setup.again, path: signInAgainPath(this.forms.contextPath, setupPath) };
    // A half-authenticated login leads to the setup by itself.
    return this.links.forcedLogin(caller, caller.kind === 'half' ? returnPath : setupPath);
  }
}
