import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { SECOND_FACTOR_PAGES, secondFactorPage, withReturnTo } from '../../../signin/auth/page-paths.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import type { FullPrincipal, Principal } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { Idps } from '../../../signin/saml/idp/idps.service.js';
import { rerenderOnError } from '../form/form-errors.js';
import { proveAgainPage } from './setup-pages.js';
import type { ReauthenticationLink } from './verify-page.js';
import { forcedLoginPath, signInAgainPath } from '../sign-in/sign-in-page.js';

const STALE: ReadonlySet<ErrorCode> = new Set(['STEP_UP_REQUIRED']);

/** Links to the pages on which a user authenticates again. */
@Injectable()
export class ReauthenticationLinks {
  private readonly contextPath: string;

  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly idps: Idps,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  /** Runs a step of the setup. If it needs another proof, the page links to the one that asks for it, and that back to the setup. */
  offeringProof<T>(caller: Principal, returnPath: string, step: () => Promise<T>): Promise<T> {
    return rerenderOnError(
      STALE,
      async (alert) => proveAgainPage(alert, await this.beforeSetup(caller, returnPath)),
      step,
    );
  }

  /** Leads back to the setup, which finally redirects to `returnPath`; undefined if there is no such page. */
  private async beforeSetup(caller: Principal, returnPath: string): Promise<ReauthenticationLink | undefined> {
    const setupPath = withReturnTo(this.contextPath + SECOND_FACTOR_PAGES.enrol, returnPath);
    const account = caller.kind === 'full' ? await this.reauthentication.accountOf(caller) : undefined;
    if (account && hasSecondFactor(account)) {
      return { label: ({ verify }) => verify.titleStepUp, path: this.proofForChanges(account, setupPath) };
    }
    if (caller.idp === undefined)
      return { label: ({ setup }) => setup.again, path: signInAgainPath(this.contextPath, setupPath) };
    // A half-authenticated login leads to the setup by itself.
    return this.forcedLogin(caller, caller.kind === 'half' ? returnPath : setupPath);
  }

  /** Path of the page for the proof that changes of the account need. */
  proofForChanges(account: Account, returnPath: string): string {
    const required = this.policy.needsPasskey(account) ? 'passkey' : undefined;
    return secondFactorPage(this.contextPath, 'verify', returnPath, required);
  }

  /** The forced login at the user's identity provider; undefined for users without one. */
  forcedLogin({ idp: name }: Principal, returnPath: string): ReauthenticationLink | undefined {
    const idp = this.idps.list().find((each) => each.name === name);
    return (
      idp && {
        label: ({ verify }) => verify.again(idp.displayName),
        path: forcedLoginPath(this.contextPath, idp.name, returnPath),
      }
    );
  }

  /** True for a user with an authenticator that is set up here. */
  async hasFactor(caller: FullPrincipal): Promise<boolean> {
    return hasSecondFactor(await this.reauthentication.accountOf(caller));
  }
}
