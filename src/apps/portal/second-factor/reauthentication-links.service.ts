import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { secondFactorPage } from '../../../signin/auth/page-paths.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import type { FullPrincipal, Principal } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { Idps } from '../../../signin/saml/idp/idps.service.js';
import type { ReauthenticationLink } from './verify-page.js';
import { forcedLoginPath } from '../sign-in/sign-in-page.js';

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

  /** True if the user has an authenticator of this service. */
  async hasFactor(caller: FullPrincipal): Promise<boolean> {
    return hasSecondFactor(await this.reauthentication.accountOf(caller));
  }
}
