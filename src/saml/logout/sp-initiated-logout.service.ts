import { Injectable } from '@nestjs/common';
import { RequestAuthenticator } from '../../auth/guards/request-authenticator.service.js';
import type { RequestCredentials } from '../../auth/strategies/credential.strategy.js';
import { SessionRevocation } from '../../auth/session-revocation.service.js';
import { ServiceError } from '../../errors/service-error.js';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import { isHalfAuthenticated } from '../../principal/principal.js';
import { setUser } from '../../principal/request-context.js';
import type { HttpRequest } from '../../web/http-request.js';
import { type Session, Sessions } from '../../session/sessions.service.js';
import { IdpSessions } from './idp-sessions.service.js';
import { type Idp, Idps } from '../idp/idps.service.js';
import { LogoutMessages } from './logout-messages.service.js';
import type { OutgoingMessage } from '../login/saml-messages.js';
import { ServiceProviders } from '../sp/service-providers.service.js';

/** Logout of staff that begins here and continues at the identity provider (SAML profiles 4.4). */
@Injectable()
export class SpInitiatedLogout {
  constructor(
    private readonly authentication: RequestAuthenticator,
    private readonly sessions: Sessions,
    private readonly sessionEnd: SessionRevocation,
    private readonly idpSessions: IdpSessions,
    private readonly messages: LogoutMessages,
    private readonly sps: ServiceProviders,
    private readonly idps: Idps,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Ends the caller's session first, and then builds a LogoutRequest; undefined without a session of this identity provider,
   * or if it accepts no requests.
   *
   * @throws ServiceError `INVALID_TOKEN` for a bad `Authorization`
   */
  async logOut(
    idp: Idp,
    carried: RequestCredentials,
    asker: Pick<HttpRequest, 'protocol' | 'host'>,
  ): Promise<OutgoingMessage | undefined> {
    const session = await this.sessionOf(carried);
    if (!session) return undefined;
    await this.end(session);
    return session.idp === idp.name ? this.requestFor(idp, session, asker) : undefined;
  }

  /** Ends the session of a cookie, and builds a LogoutRequest if it belongs to an identity provider that accepts one. */
  async logOutSession(
    secret: string | undefined,
    asker: Pick<HttpRequest, 'protocol' | 'host'>,
  ): Promise<OutgoingMessage | undefined> {
    const session = await this.sessionOf({ authorization: undefined, session: secret });
    if (!session) return undefined;
    await this.end(session);
    const idp = this.idps.list().find(({ name }) => name === session.idp);
    return idp && this.requestFor(this.idps.named(idp.name), session, asker);
  }

  private async end({ subject, id }: Session): Promise<void> {
    setUser(subject);
    await this.sessionEnd.revoke(subject, id);
  }

  private async requestFor(
    idp: Idp,
    { idpSession }: Session,
    asker: Pick<HttpRequest, 'protocol' | 'host'>,
  ): Promise<OutgoingMessage | undefined> {
    if (idpSession === undefined) return undefined;
    const there = await this.work.single((tx) => this.idpSessions.find(tx, idpSession));
    const trust = trustOf(idp);
    if (!there || !trust) return undefined;
    return this.messages.request({ idp: idp.name, trust, sp: this.sps.of(idp, asker) }, there);
  }

  /** Also returns half-authenticated sessions, so that users can sign out before the second step. */
  private async sessionOf({ authorization, session: secret }: RequestCredentials): Promise<Session | undefined> {
    if (authorization === undefined) return secret === undefined ? undefined : this.sessions.findBySecret(secret);
    const caller = await this.authentication.authenticate({ authorization, session: undefined });
    return isHalfAuthenticated(caller) ? undefined : this.sessions.find(caller.sid);
  }
}

/** Undefined while there is no valid metadata, so that users can sign out without it. */
function trustOf(idp: Idp): ReturnType<Idp['trust']> | undefined {
  try {
    return idp.trust();
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
