import { withTimeout } from '../../kernel/clock/with-timeout.js';
import { Injectable } from '@nestjs/common';
import { createHash, timingSafeEqual } from 'node:crypto';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { Reason } from '../../kernel/errors/reason.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import {
  type AuthenticatedOperator,
  type Operator,
  OperatorCredentials,
  ROLE_MANAGEMENT,
  ROLE_MONITORING,
} from '../../kernel/principal/operator.js';
import { requestContext } from '../../kernel/principal/request-context.js';
import { HttpError, stepUpChallenge } from '../../platform/http/errors/http-error.js';
import { parseBasic, parseBearer } from '../../platform/web/authorization-header.js';
import { type BasicAccountKeys, ManagementSecurityProperties } from './access.properties.js';

/** Half of the usual timeout of a probe: an unresponsive database must not make health time out as well. */
const LOOKUP_TIMEOUT_MILLIS = 500;
const BASIC = 'Basic realm="management", charset="UTF-8"';

/** Requirements of an operation on its callers. */
export interface AccessRequirements {
  /** True if the operation needs no credentials. */
  readonly isPublic: boolean;
  /** True if an access token needs a second factor in its `amr`, whether or not policy demands one at login. */
  readonly needsMfa: boolean;
}

/** Authenticates operators by the `Authorization` header alone; session cookies and `mfa_token`s are not accepted. */
@Injectable()
export class ManagementAuthenticator {
  private readonly accounts: readonly BasicAccount[];
  private readonly isEnabled: boolean;
  private readonly log: Logger;

  constructor(
    { enabled, operatorAccount, monitoringAccount }: ManagementSecurityProperties,
    private readonly credentials: OperatorCredentials,
    loggers: Loggers,
  ) {
    this.isEnabled = enabled;
    this.accounts = [
      ...(operatorAccount ? [new BasicAccount(operatorAccount, ROLE_MANAGEMENT)] : []),
      ...(monitoringAccount ? [new BasicAccount(monitoringAccount, ROLE_MONITORING)] : []),
    ];
    this.log = loggers.get('management');
  }

  /**
   * Authenticates the caller of an endpoint. A public endpoint admits every caller and ignores bad credentials, so that
   * a probe with outdated credentials does not restart the service.
   * @throws ServiceError `INVALID_TOKEN`, `RATE_LIMITED`; `ACCESS_DENIED` without the role; `STEP_UP_REQUIRED` for a
   *   token without a second factor, or without the passkey that policy demands, where the operation needs one
   */
  async authenticate(
    authorization: string | undefined,
    { isPublic, needsMfa }: AccessRequirements,
  ): Promise<Operator | undefined> {
    if (isPublic || !this.isEnabled) return authorization === undefined ? undefined : this.identify(authorization);
    if (authorization === undefined) throw unauthenticated('no credentials', 'Bearer');
    const operator = await this.verify(authorization);
    // The monitoring account may do what an access token may without a second factor.
    if (!needsMfa && operator.isMonitoring === true) return operator;
    if (!operator.roles.includes(ROLE_MANAGEMENT)) {
      this.log.warn('A caller without ROLE_MANAGEMENT is rejected', { user: operator.name, ...clientIp() });
      throw new ServiceError('ACCESS_DENIED', { reason: ROLE_MANAGEMENT });
    }
    const { missingFactor: required } = operator;
    if (!needsMfa || !required) return operator;
    this.log.warn('A management caller without the required second factor is rejected', {
      user: operator.name,
      ...clientIp(),
    });
    throw new HttpError('STEP_UP_REQUIRED', { challenge: [stepUpChallenge(required), BASIC], required });
  }

  /** Identifies the caller of a public endpoint; undefined if that fails or takes too long. */
  private async identify(authorization: string): Promise<Operator | undefined> {
    try {
      return await withTimeout(this.verify(authorization), LOOKUP_TIMEOUT_MILLIS, () => {
        this.log.warn(`A caller cannot be looked up within ${LOOKUP_TIMEOUT_MILLIS}ms`);
        return undefined;
      });
    } catch (error) {
      // An outage must not fail the request: health reports it in its own way.
      if (!(error instanceof ServiceError)) this.log.warn('A caller cannot be looked up', { error });
      return undefined;
    }
  }

  private async verify(authorization: string): Promise<AuthenticatedOperator> {
    const basic = parseBasic(authorization);
    if (basic) return this.verifyBasic(basic.name, basic.secret);
    if (parseBearer(authorization) === undefined) throw unauthenticated('no bearer token', 'Bearer');
    return this.verifyToken(authorization);
  }

  private async verifyToken(authorization: string): Promise<AuthenticatedOperator> {
    try {
      return await this.credentials.verifyAccessToken(authorization);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'INVALID_TOKEN') throw error;
      throw unauthenticated(error.facts.reason, 'Bearer error="invalid_token"');
    }
  }

  private async verifyBasic(sentName: string, password: string): Promise<AuthenticatedOperator> {
    const { accounts } = this;
    // Without an account there is nothing to guess, so the throttle does not record the attempt.
    if (accounts.length === 0) throw unauthenticated('no account', 'Bearer');
    // The comparison ignores the Unicode form of the name, so the throttle must ignore it, too.
    const name = sentName.normalize('NFC');
    let matched: BasicAccount | undefined;
    const isRight = await this.credentials.verifyPassword(name, () => {
      // Each account is compared, so that the time does not tell which one has the name.
      [matched] = accounts.filter((account) => account.matches(sentName, password));
      return matched !== undefined;
    });
    if (isRight && matched) return matched.operator;
    // Any other name could be a password in the wrong field, so it is not logged.
    const named = accounts.find((account) => name === account.name.normalize('NFC'));
    const user = named ? { user: named.name } : {};
    this.log.warn('Wrong credentials of a management caller', { ...user, ...clientIp() });
    throw unauthenticated('wrong credentials', 'Bearer');
  }
}

/** An account of HTTP Basic, from the configuration. */
class BasicAccount {
  readonly operator: AuthenticatedOperator;
  private readonly digest: Buffer;

  constructor({ user, password }: BasicAccountKeys, role: typeof ROLE_MANAGEMENT | typeof ROLE_MONITORING) {
    const isMonitoring = role === ROLE_MONITORING;
    this.operator = { name: user, roles: [role], ...(isMonitoring && { isMonitoring }) };
    this.digest = digestOf(user, password);
  }

  get name(): string {
    return this.operator.name;
  }

  /** Takes the same time for a wrong name and a wrong password. */
  matches(name: string, password: string): boolean {
    return timingSafeEqual(digestOf(name, password), this.digest);
  }
}

/** Hashes `name:password`, which is unambiguous without a colon in the name, in one Unicode form (RFC 7617 section 2.1). */
function digestOf(name: string, password: string): Buffer {
  return createHash('sha256').update(`${name}:${password}`.normalize('NFC')).digest();
}

function unauthenticated(reason: Reason | undefined, bearer: string): HttpError {
  return new HttpError('INVALID_TOKEN', { ...withoutUndefined({ reason }), challenge: [bearer, BASIC] });
}

function clientIp(): { readonly ip?: string } {
  const ip = requestContext()?.ip;
  return ip === undefined ? {} : { ip };
}
