import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { PasswordAuthenticator } from '../login/password-authenticator.service.js';
import { Reauthentication } from './reauthentication.service.js';

/** Decides whether a signed-in user may change what the access to the account depends on: a stolen session is not enough. */
@Injectable()
export class ChangeAuthorization {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly password: PasswordAuthenticator,
  ) {}

  /**
   * Admits a caller whose last proof of the second factor is recent and strong enough, or without a second factor, one with a fresh
   * login or the right `password`.
   * @throws ServiceError `STEP_UP_REQUIRED` for a login that is too old, or a proof that is too old or too weak;
   * `INVALID_CREDENTIALS` for a wrong `password`
   */
  async require(caller: FullPrincipal, account: Account, password: string | undefined): Promise<void> {
    if (hasSecondFactor(account)) this.reauthentication.requireFreshMfa(caller, account);
    else if (password === undefined) this.reauthentication.requireFreshTime(caller.authTime);
    else await this.password.verifySubject(caller.subject, password, 'pw');
  }
}
