import { Injectable } from '@nestjs/common';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import type { Idp } from '../idp/idps.service.js';
import { LogoutMessages, type IncomingLogout } from './logout-messages.service.js';
import { LogoutRequests } from './logout-requests.service.js';
import { isRejection, type SamlRejection } from '../login/rejection.js';
import type { OutgoingMessage } from '../login/response/saml-messages.js';
import { Rejections } from '../login/rejections.service.js';
import { ServiceProviders } from '../sp/service-providers.service.js';
import { SessionTermination } from './session-termination.service.js';

/** The outcome of a logout message. */
export interface LogoutOutcome {
  /** The message to send back; undefined if there is none, or none can be sent. */
  readonly to: OutgoingMessage | undefined;
  /** Whether the session of this browser has ended. */
  readonly isOwnEnded: boolean;
  /** Where a logout that began here continues. */
  readonly returnTo?: string | undefined;
}

/** Receives logout messages of identity providers (SAML profiles 4.4). */
@Injectable()
export class LogoutReceiver {
  constructor(
    private readonly messages: LogoutMessages,
    private readonly termination: SessionTermination,
    private readonly sps: ServiceProviders,
    private readonly rejections: Rejections,
    private readonly requests: LogoutRequests,
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
    origin: Pick<HttpRequest, 'protocol' | 'host'>,
  ): Promise<LogoutOutcome> {
    const sp = this.sps.of(idp, origin);
    const received = await this.messages.read(sent, idp, sp);
    if (isRejection(received)) return this.reject(idp, received);
    const { facts, relayState } = received;
    if (facts.kind === 'response') {
      const returnTo = await this.requests.returnOf(idp, facts.inResponseTo ?? '');
      return { to: undefined, isOwnEnded: false, returnTo };
    }
    const expiry = this.messages.expiryOf(facts, idp);
    const ended = await this.termination.carryOut(idp.name, facts, { expiry, secret });
    if (isRejection(ended)) return this.reject(idp, ended);
    const to = await this.messages.response({ idp: idp.name, trust: idp.trust(), sp }, facts.id, relayState);
    return { to, isOwnEnded: ended.isOwnEnded };
  }

  /** Records a rejection; the caller learns only the public error code. @throws ServiceError always */
  reject({ name }: Idp, rejection: SamlRejection): Promise<never> {
    return this.rejections.rejectLogout(name, rejection);
  }
}
