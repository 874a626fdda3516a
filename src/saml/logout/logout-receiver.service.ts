import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import type { SecurityEvent } from '../../events/security-event.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import type { HttpRequest } from '../../web/http-request.js';
import { Sessions } from '../../session/sessions.service.js';
import { IdpSessions } from './idp-sessions.service.js';
import type { Idp } from '../idp/idps.service.js';
import type { LogoutRequestFacts } from './logout-message.js';
import { LogoutMessages, type IncomingLogout } from './logout-messages.service.js';
import { isRejection, type Rejection } from '../login/rejection.js';
import type { OutgoingMessage } from '../login/saml-messages.js';
import { RejectionAudit } from '../login/rejection-audit.service.js';
import { ServiceProviders } from '../sp/service-providers.service.js';
import { UsedAssertions } from '../login/used-assertions.service.js';

/** The outcome of a logout message. */
export interface LogoutOutcome {
  /** The message to send back; undefined if there is none, or none can be sent. */
  readonly to: OutgoingMessage | undefined;
  /** Whether the session of this browser has ended. */
  readonly isOwnEnded: boolean;
}

/** Receives logout messages of identity providers (SAML profiles 4.4). */
@Injectable()
export class LogoutReceiver {
  constructor(
    private readonly messages: LogoutMessages,
    private readonly idpSessions: IdpSessions,
    private readonly used: UsedAssertions,
    private readonly sps: ServiceProviders,
    private readonly sessions: Sessions,
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
    private readonly refusals: RejectionAudit,
  ) {}

  /**
   * Receives a message from a browser whose cookie `SESSION` is `secret`. A request ends the sessions that it names; a
   * response to a request of ours changes nothing.
   *
   * @throws ServiceError `SAML_RESPONSE_INVALID`; `UNAVAILABLE`
   */
  async receive(
    idp: Idp,
    sent: IncomingLogout,
    secret: string | undefined,
    asker: Pick<HttpRequest, 'protocol' | 'host'>,
  ): Promise<LogoutOutcome> {
    const sp = this.sps.of(idp, asker);
    const received = await this.messages.read(sent, idp, sp);
    if (isRejection(received)) return this.reject(idp, received);
    const { facts, relayState } = received;
    if (facts.kind === 'response') return { to: undefined, isOwnEnded: false };
    const own = secret === undefined ? undefined : await this.sessions.findBySecret(secret);
    const ended = await this.endMatching(idp, facts);
    if (isRejection(ended)) return this.reject(idp, ended);
    const to = await this.messages.response({ idp: idp.name, trust: idp.trust(), sp }, facts.id, relayState);
    return { to, isOwnEnded: own?.idpSession !== undefined && ended.includes(own.idpSession) };
  }

  /** Records a rejection; the caller learns only the public error code. @throws ServiceError always */
  async reject({ name: idp }: Idp, reason: Rejection): Promise<never> {
    await this.refusals.recordMessage(idp, reason);
    throw new ServiceError('SAML_RESPONSE_INVALID', { reason });
  }

  /** Ends the matching sessions in one transaction, and returns their ids at the identity provider. */
  private endMatching(idp: Idp, request: LogoutRequestFacts): Promise<readonly string[] | Rejection> {
    return this.work.run(async (tx) => {
      if (!(await this.used.useLogoutRequest(tx, request, this.messages.expiryOf(request, idp)))) return 'replay';
      const meant = await this.idpSessions.findMatching(tx, idp.name, request);
      const events: SecurityEvent[] = [];
      for (const id of meant) {
        for (const subject of await this.sessions.endByIdpSession(tx, id)) {
          events.push({ kind: 'SESSION_REVOKED', subject, idp: idp.name, reason: 'idp_logout' });
        }
      }
      if (events.length > 0) await this.events.record(tx, ...events);
      return meant;
    });
  }
}
