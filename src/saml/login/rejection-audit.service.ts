import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import { requestContext } from '../../principal/request-context.js';
import { AuditRateLimit } from './audit-rate-limit.js';
import type { Rejection } from './rejection.js';

/** Whom a verified message is about. */
export interface RejectedUser {
  readonly subject?: string;
  readonly authnContext?: string;
}

/** Records refused messages as events `SAML_REJECTED`, of strangers no more than a table that is never emptied can take. */
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

  /** For a message that anybody may have sent, or sent again. */
  async recordMessage(idp: string, reason: Rejection): Promise<void> {
    const { ip = '' } = requestContext() ?? {};
    const place = this.rateLimit.take(ip);
    if (place === 'within') await this.record(idp, reason);
    else if (place === 'first')
      this.log.warn('More messages are refused from one network than are recorded as events', { idp, ip });
  }

  /** For a person whom an identity provider vouched for, by a message that was used up. */
  recordUser(idp: string, reason: Rejection, person: RejectedUser): Promise<void> {
    return this.record(idp, reason, person);
  }

  private record(idp: string, reason: Rejection, person: RejectedUser = {}): Promise<void> {
    const event = { kind: 'SAML_REJECTED', idp, result: 'refused', reason, ...person } as const;
    return this.work.single((tx) => this.events.record(tx, event));
  }
}
