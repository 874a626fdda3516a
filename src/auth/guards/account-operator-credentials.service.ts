import { Injectable } from '@nestjs/common';
import { PasswordThrottle } from '../../account/throttle/password-throttle.service.js';
import { hasSecondFactor } from '../../principal/amr.js';
import { type AuthenticatedOperator, OperatorCredentials } from '../../principal/operator.js';
import { authoritiesOf, isHalfAuthenticated } from '../../principal/principal.js';
import { RequestAuthenticator } from './request-authenticator.service.js';

/** Operators authenticate with access tokens of this service; the Basic account shares the throttle of passwords. */
@Injectable()
export class AccountOperatorCredentials extends OperatorCredentials {
  constructor(
    private readonly requests: RequestAuthenticator,
    private readonly throttle: PasswordThrottle,
  ) {
    super();
  }

  async verifyAccessToken(authorization: string): Promise<AuthenticatedOperator> {
    const principal = await this.requests.authenticate({ authorization, session: undefined });
    return {
      name: principal.subject,
      roles: authoritiesOf(principal),
      hasSecondFactor: !isHalfAuthenticated(principal) && hasSecondFactor(principal.amr),
    };
  }

  verifyPassword(name: string, compare: () => boolean): Promise<boolean> {
    return this.throttle.guard(
      { operator: name },
      () => Promise.resolve(compare()),
      (isRight) => isRight,
    );
  }
}
