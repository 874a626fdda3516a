import { Injectable } from '@nestjs/common';
import { RequestAuthenticator } from '../../auth/guards/request-authenticator.service.js';
import type { RequestCredentials } from '../../auth/strategies/credential.strategy.js';
import { SessionRevocation } from '../../auth/session-revocation.service.js';
import { isHalfAuthenticated } from '../../../kernel/principal/principal.js';
import { setUser } from '../../../kernel/principal/request-context.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { type Session, Sessions } from '../../../identity/session/sessions.service.js';
import { type Idp, Idps } from '../idp/idps.service.js';
import { LogoutRequests } from './logout-requests.service.js';
import type { OutgoingMessage } from '../login/response/saml-messages.js';

/** Logout of staff that begins here and continues at the identity provider (SAML profiles 4.4). */
@Injectable()
export class SpInitiatedLogout {
  constructor(
    private readonly authentication: RequestAuthenticator,
    private readonly sessions: Sessions,
    private readonly revocation: SessionRevocation,
    private readonly idps: Idps,
    private readonly requests: LogoutRequests,
  ) {}

  /**
   * Ends the caller's session first, and then builds a LogoutRequest; undefined without a session of this identity provider,
   * or if it accepts no requests.
   *
   * @throws ServiceError `INVALID_TOKEN` for a bad `Authorization`
   */
  async logOut(
    idp: Idp,
    credentials: RequestCredentials,
    origin: Pick<HttpRequest, 'protocol' | 'host'>,
  ): Promise<OutgoingMessage | undefined> {
    const session = await this.sessionOf(credentials);
    if (!session) return undefined;
    await this.end(session);
    return session.idp === idp.name ? this.requests.create(idp, session, origin) : undefined;
  }

  /**
   * Ends the session of a cookie, and builds a LogoutRequest if it belongs to an identity provider that accepts one. After its
   * response, the browser continues at `returnTo`, which the caller has resolved; without it, at the sign-in page.
   */
  async logOutSession(
    secret: string | undefined,
    origin: Pick<HttpRequest, 'protocol' | 'host'>,
    returnTo?: string,
  ): Promise<OutgoingMessage | undefined> {
    const session = await this.sessionOf({ authorization: undefined, session: secret });
    if (!session) return undefined;
    await this.end(session);
    const idp = this.idps.list().find(({ name }) => name === session.idp);
    return idp && this.requests.create(this.idps.named(idp.name), session, origin, returnTo);
  }

  private async end({ subject, id }: Session): Promise<void> {
    setUser(subject);
    await this.revocation.revoke(subject, id);
  }

  /** Also returns half-authenticated sessions, so that users can sign out before the second step. */
  private async sessionOf({ authorization, session: secret }: RequestCredentials): Promise<Session | undefined> {
    if (authorization === undefined) return secret === undefined ? undefined : this.sessions.findBySecret(secret);
    const caller = await this.authentication.authenticate({ authorization, session: undefined });
    return isHalfAuthenticated(caller) ? undefined : this.sessions.find(caller.sid);
  }
}
