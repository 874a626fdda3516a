import { Injectable } from '@nestjs/common';
import { GuessThrottle } from '../../../identity/account/throttle/guess-throttle.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { type AuthenticatedOperator, OperatorCredentials } from '../../../kernel/principal/operator.js';
import { authoritiesOf, isHalfAuthenticated } from '../../../kernel/principal/principal.js';
import { RequestAuthenticator } from './request-authenticator.service.js';
import { RequiredFactors } from './required-factors.service.js';

const MFA = { method: 'mfa' } as const;

/** Operators authenticate with access tokens of this service; the Basic account shares the throttle of passwords. */
@Injectable()
export class AccountOperatorCredentials extends OperatorCredentials {
  constructor(
    private readonly requests: RequestAuthenticator,
    private readonly factors: RequiredFactors,
    private readonly throttle: GuessThrottle,
  ) {
    super();
  }

  async verifyAccessToken(authorization: string): Promise<AuthenticatedOperator> {
    const principal = await this.requests.authenticate({ authorization, session: undefined });
    const missingFactor = isHalfAuthenticated(principal) ? MFA : await this.factors.missing(principal, MFA);
    return { name: principal.subject, roles: authoritiesOf(principal), ...withoutUndefined({ missingFactor }) };
  }

  verifyPassword(name: string, compare: () => boolean): Promise<boolean> {
    return this.throttle.guard(
      { operator: name },
      () => Promise.resolve(compare()),
      (isRight) => isRight,
    );
  }
}
