import { Injectable } from '@nestjs/common';
import type { Failures } from '../../../identity/account/throttle/shared-failures.js';
import { Budget, type Limit, NO_FAILURES } from '../../../identity/account/throttle/throttle.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { DigestMap } from '../../../kernel/collections/digest-map.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { networkOf, requestContext } from '../../../kernel/principal/request-context.js';
import { SystemRandom } from '../../../kernel/random/random.js';
import { SamlMeters } from '../saml-meters.js';
import type { SamlRejection } from './rejection.js';

/** The user of a verified message. */
interface RejectedUser {
  readonly subject?: string;
  readonly authnContext?: string;
}

/**
 * Rejects messages of identity providers: records them as events `SAML_REJECTED`, unverified messages only up to a limit for
 * each network, and ends the request. The caller learns only the public error code.
 */
@Injectable()
export class Rejections {
  private readonly log: Logger;
  private readonly rateLimit: AuditRateLimit;

  constructor(
    private readonly events: SecurityEvents,
    private readonly meters: SamlMeters,
    clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('saml');
    this.rateLimit = new AuditRateLimit(clock);
  }

  /** Rejects and counts a response; `user` is set once the response has been verified and used. @throws ServiceError always */
  async rejectResponse(idp: string, rejection: SamlRejection, user?: RejectedUser): Promise<never> {
    this.meters.count(idp, rejection);
    await (user ? this.record(idp, rejection, user) : this.recordUnverified(idp, rejection));
    throw new ServiceError(codeOf(rejection), { reason: rejection });
  }

  /** Rejects a logout message. @throws ServiceError `SAML_RESPONSE_INVALID` always */
  async rejectLogout(idp: string, rejection: SamlRejection): Promise<never> {
    await this.recordUnverified(idp, rejection);
    throw new ServiceError('SAML_RESPONSE_INVALID', { reason: rejection });
  }

  /** Records the rejection of a message that anyone may have sent, or sent again. */
  private async recordUnverified(idp: string, rejection: SamlRejection): Promise<void> {
    const { ip = '' } = requestContext() ?? {};
    const decision = this.rateLimit.take(ip);
    if (decision === 'within') await this.record(idp, rejection);
    else if (decision === 'first')
      this.log.warn('Further rejected SAML messages from this network are not recorded as events', { idp, ip });
  }

  private record(idp: string, reason: SamlRejection, user: RejectedUser = {}): Promise<void> {
    const event = { kind: 'SAML_REJECTED', idp, result: 'refused', reason, ...user } as const;
    return this.events.recordAlone(event);
  }
}

function codeOf(rejection: SamlRejection): ErrorCode {
  switch (rejection) {
    case 'mfa_missing':
      return 'SAML_MFA_MISSING';
    case 'user_unknown':
    case 'user_disabled':
    case 'other_user':
      return 'SAML_USER_NOT_ALLOWED';
    default:
      return 'SAML_RESPONSE_INVALID';
  }
}

/** Rejected messages of one network that are recorded within `WINDOW_MILLIS`. */
const MAX_RECORDED = 1000;
const WINDOW_MILLIS = 10 * 60_000;
/** Networks that are remembered; the one whose message was rejected least recently is forgotten first. */
const CAPACITY = 10_000;

interface Entry extends Failures {
  /** When the limit was last logged, in milliseconds since 1970. */
  readonly reportedAt: number;
}

/** Whether a rejection is recorded; `first` if it is time to log that no more are. */
type AuditDecision = 'within' | 'first' | 'beyond';

/**
 * Limits how many events unauthenticated callers can have recorded, in a table that is never emptied. It blocks no request,
 * because one address may be that of a whole company.
 */
export class AuditRateLimit {
  private readonly limit: Limit = new Budget(MAX_RECORDED, WINDOW_MILLIS);
  private readonly entries: DigestMap<keyof Entry>;

  constructor(private readonly clock: Clock) {
    this.entries = new DigestMap(['count', 'lastAt', 'reportedAt'], CAPACITY, new SystemRandom().text(16));
  }

  /** Counts one more rejection from this address. */
  take(address: string): AuditDecision {
    const key = networkOf(address);
    const now = this.clock.millis();
    const { reportedAt, ...failures } = this.entries.get(key) ?? { ...NO_FAILURES, reportedAt: -Infinity };
    // A clock that was set back must not make the limit stricter.
    const count = this.limit.remembered({ ...failures, lastAt: Math.min(failures.lastAt, now) }, now);
    const isWithin = count + 1 <= this.limit.free;
    const isReported = Math.abs(now - reportedAt) < WINDOW_MILLIS;
    this.entries.set(key, {
      count: isWithin ? count + 1 : count,
      lastAt: now,
      reportedAt: isWithin || isReported ? reportedAt : now,
    });
    if (isWithin) return 'within';
    return isReported ? 'beyond' : 'first';
  }
}
