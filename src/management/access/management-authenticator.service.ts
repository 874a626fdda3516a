import { withTimeout } from '../../clock/with-timeout.js';
import { Injectable } from '@nestjs/common';
import { PasswordThrottle } from '../../account/throttle/password-throttle.service.js';
import { ROLE_MANAGEMENT } from '../../account/role-names.js';
import { stepUpChallenge } from '../../auth/guards/access.js';
import { RequestAuthenticator } from '../../auth/guards/request-authenticator.service.js';
import { parseBasic, parseBearer } from '../../auth/guards/bearer.js';
import { ServiceError } from '../../errors/service-error.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { hasOtp } from '../../principal/amr.js';
import { authoritiesOf, isHalfAuthenticated } from '../../principal/principal.js';
import { requestContext } from '../../principal/request-context.js';
import type { Operator } from './operator.js';
import { BasicAccount } from './basic-account.js';
import { ManagementSecurityProperties } from './access.properties.js';

/** Half of what a probe waits by default: a database that is silent must not silence health as well. */
const LOOK_UP_MILLIS = 500;
const BASIC = 'Basic realm="management", charset="UTF-8"';

/** What an operation asks of its callers. */
export interface AccessRequirements {
  /** True if the operation needs no credentials. */
  readonly isPublic: boolean;
  /** True if a caller by access token needs `otp` in its `amr`. */
  readonly needsOtp: boolean;
}

interface AuthenticatedOperator extends Operator {
  /** True for a token with `otp` in its `amr`, and for the Basic account, which is the operator's own. */
  readonly hasSecondFactor: boolean;
}

/** Tells who calls a management endpoint, by `Authorization` alone: neither cookies nor mfa_tokens say anything here. */
@Injectable()
export class ManagementAuthenticator {
  private readonly account: BasicAccount | undefined;
  private readonly isEnabled: boolean;
  private readonly log: Logger;

  constructor(
    { enabled, user, password }: ManagementSecurityProperties,
    private readonly authentication: RequestAuthenticator,
    private readonly throttle: PasswordThrottle,
    loggers: Loggers,
  ) {
    this.isEnabled = enabled;
    this.account = user === undefined || password === undefined ? undefined : new BasicAccount(user, password);
    this.log = loggers.get('management');
  }

  /**
   * Who calls an endpoint. An open one takes everybody and knows those with good credentials: a probe whose credentials
   * are out of date must restart nothing.
   * @throws ServiceError `INVALID_TOKEN`, `RATE_LIMITED`; `ACCESS_DENIED` without the role; `STEP_UP_REQUIRED` for a
   *   token without `otp` where the operation needs it, whatever the MFA policy says
   */
  async authenticate(
    authorization: string | undefined,
    { isPublic, needsOtp }: AccessRequirements,
  ): Promise<Operator | undefined> {
    if (isPublic || !this.isEnabled) return authorization === undefined ? undefined : this.knownOrNobody(authorization);
    if (authorization === undefined) throw unknown('nobody', 'Bearer');
    const operator = await this.known(authorization);
    if (!operator.roles.includes(ROLE_MANAGEMENT)) {
      this.log.warn('A caller without ROLE_MANAGEMENT is refused', { user: operator.name, ...from() });
      throw new ServiceError('ACCESS_DENIED', { reason: ROLE_MANAGEMENT });
    }
    if (!needsOtp || operator.hasSecondFactor) return operator;
    this.log.warn('A management caller without a second factor is refused', {
      user: operator.name,
      ...from(),
    });
    throw new ServiceError('STEP_UP_REQUIRED', { challenge: [stepUpChallenge({ method: 'otp' }), BASIC] });
  }

  private async knownOrNobody(authorization: string): Promise<Operator | undefined> {
    try {
      return await withTimeout(this.known(authorization), LOOK_UP_MILLIS, () => {
        this.log.warn(`A caller cannot be looked up within ${LOOK_UP_MILLIS}ms`);
        return undefined;
      });
    } catch (error) {
      // Also where nobody can be known at present: health says so in its own way.
      if (!(error instanceof ServiceError)) this.log.warn('A caller cannot be looked up', { error });
      return undefined;
    }
  }

  private async known(authorization: string): Promise<AuthenticatedOperator> {
    const basic = parseBasic(authorization);
    if (basic) return this.fromBasic(basic.name, basic.secret);
    if (parseBearer(authorization) === undefined) throw unknown('no credentials', 'Bearer');
    return this.fromToken(authorization);
  }

  private async fromToken(authorization: string): Promise<AuthenticatedOperator> {
    try {
      const principal = await this.authentication.authenticate({ authorization, session: undefined });
      return {
        name: principal.subject,
        roles: authoritiesOf(principal),
        hasSecondFactor: !isHalfAuthenticated(principal) && hasOtp(principal.amr),
      };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'INVALID_TOKEN') throw error;
      throw unknown(error.facts.reason ?? '', 'Bearer error="invalid_token"');
    }
  }

  private async fromBasic(name: string, password: string): Promise<AuthenticatedOperator> {
    const { account } = this;
    // Where there is no account there is nothing to guess.
    if (!account) throw unknown('no account', 'Bearer');
    const isRight = await this.throttle.guard(
      // The comparison ignores the Unicode form of the name, so the count must ignore it too.
      { operator: name.normalize('NFC') },
      () => Promise.resolve(account.matches(name, password)),
      (verdict) => verdict,
    );
    if (isRight) return { name: account.name, roles: [ROLE_MANAGEMENT], hasSecondFactor: true };
    // What else a caller gives for a name could be a password.
    const user = name.normalize('NFC') === account.name.normalize('NFC') ? { user: account.name } : {};
    this.log.warn('Wrong credentials of a management caller', { ...user, ...from() });
    throw unknown('wrong credentials', 'Bearer');
  }
}

function unknown(reason: string, bearer: string): ServiceError {
  return new ServiceError('INVALID_TOKEN', { reason, challenge: [bearer, BASIC] });
}

function from(): { readonly ip?: string } {
  const ip = requestContext()?.ip;
  return ip === undefined ? {} : { ip };
}
