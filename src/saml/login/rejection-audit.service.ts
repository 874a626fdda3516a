import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import { requestContext } from '../../principal/request-context.js';
import { AuditRateLimit } from './audit-rate-limit.js';
import type { Rejection } from './rejection.js';

/** The user of a verified message. */
export interface RejectedUser {
  readonly subject?: string;
  readonly authnContext?: string;
}

/** Records rejected messages as events `SAML_REJECTED`; unverified messages only up to a limit for each network. */
@Injectable()
export class RejectionAudit {
  private readonly log: Logger;
  private readonly rateLimit: AuditRateLimit;

  constructor(
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
    clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('saml');
    this.rateLimit = new AuditRateLimit(clock);
  }

  /** Records the rejection of a message that anyone may have sent, or sent again. */
  async recordMessage(idp: string, reason: Rejection): Promise<void> {
    const { ip = '' } = requestContext() ?? {};
    const place = this.rateLimit.take(ip);
    if (place === 'within') await this.record(idp, reason);
    else if (place === 'first')
      this.log.warn('Further rejected SAML messages from this network are not recorded as events', { idp, ip });
  }

  /** Records the rejection of a user whose verified message has been used. */
  recordUser(idp: string, reason: Rejection, person: RejectedUser): Promise<void> {
    return this.record(idp, reason, person);
  }

  private record(idp: string, reason: Rejection, person: RejectedUser = {}): Promise<void> {
    const event = { kind: 'SAML_REJECTED', idp, result: 'refused', reason, ...person } as const;
    return this.work.single((tx) => this.events.record(tx, event));
  }
}
