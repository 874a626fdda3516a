import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../account/account.js';
import { SECOND_FACTOR_PAGES, withReturnTo } from '../../auth/page-paths.js';
import { Reauthentication } from '../../auth/own/reauthentication.service.js';
import { ServletProperties } from '../../http/server.properties.js';
import type { FullPrincipal, Principal } from '../../principal/principal.js';
import { MfaPolicy } from '../../second-factor/mfa-policy.service.js';
import { Idps } from '../../saml/idp/idps.service.js';
import type { ReauthenticationLink } from './verify-page.js';
import { forcedLoginPath, signInAgainPath } from '../sign-in/sign-in-page.js';

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

  /** Leads back to the setup, which finally redirects to `returnPath`; undefined if there is no such page. */
  async beforeSetup(caller: Principal, returnPath: string): Promise<ReauthenticationLink | undefined> {
    const setupPath = withReturnTo(this.contextPath + SECOND_FACTOR_PAGES.enrol, returnPath);
    const account = await this.reauthentication.accountOf(caller);
    if (caller.kind === 'full' && hasSecondFactor(account)) {
      return { label: ({ verify }) => verify.titleStepUp, path: this.proofForChanges(account, setupPath) };
    }
    if (caller.idp === undefined)
      return { label: ({ setup }) => setup.again, path: signInAgainPath(this.contextPath, setupPath) };
    // A half-authenticated login leads to the setup by itself.
    return this.forcedLogin(caller, caller.kind === 'half' ? returnPath : setupPath);
  }

  /** Path of the page for the proof that changes of the account need. */
  proofForChanges(account: Account, returnPath: string): string {
    const path = withReturnTo(this.contextPath + SECOND_FACTOR_PAGES.verify, returnPath);
    return this.policy.changesNeedPasskey(account) ? `${path}&required=passkey` : path;
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
