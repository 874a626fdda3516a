import { Injectable } from '@nestjs/common';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { AuthCookies, SESSION } from '../../auth/cookies.js';
import { RequestAuthenticator } from '../../auth/guards/request-authenticator.service.js';
import { SessionRevocation } from '../../auth/session-revocation.service.js';
import type { OutgoingMessage } from '../../saml/login/response/saml-messages.js';
import { SpInitiatedLogout } from '../../saml/logout/sp-initiated-logout.service.js';
import type { Parameters } from '../authorize/parameters.js';
import { type EndSessionRequest, EndSessionRequests } from './end-session-requests.service.js';

type RequestOrigin = Pick<HttpRequest, 'protocol' | 'host'>;

/** Ends the session of a browser at the request of an application, and sends the browser back to it. */
@Injectable()
export class EndSession {
  constructor(
    private readonly requests: EndSessionRequests,
    private readonly authentication: RequestAuthenticator,
    private readonly revocation: SessionRevocation,
    private readonly cookies: AuthCookies,
    private readonly logouts: SpInitiatedLogout,
  ) {}

  /**
   * Returns where the browser goes next: to the application, or first to the page that asks its user, or to the identity provider
   * of staff. Only an ID token of that user shows that the application, and no link of another site, requests it.
   * @throws OAuthError for a request that names an unknown application or address
   */
  async end(sent: Parameters, origin: RequestOrigin, reply: Reply): Promise<OutgoingMessage> {
    const request = await this.requests.read(sent);
    const visitor = await this.authentication.visitor(reply.cookies[SESSION]);
    if (visitor?.kind === 'full') {
      if (visitor.subject !== request.hint?.subject) return { url: await this.requests.confirmPath(request) };
      const to = await this.endOwn(request, visitor, origin, reply);
      if (to) return to;
    } else if (request.hint) {
      // Whoever holds an ID token ends the session of its application by it, and no session of a browser.
      await this.revocation.revoke(request.hint.subject, request.hint.sid);
    }
    return { url: this.requests.returnPath(request) };
  }

  /** Stores a request that arrived by POST; returns the path at which it goes on. @throws as `end` does */
  async store(sent: Parameters): Promise<OutgoingMessage> {
    return { url: await this.requests.store(await this.requests.read(sent)) };
  }

  /** Returns a message to the identity provider, after whose response the browser comes back with the stored request. */
  private async endOwn(
    request: EndSessionRequest,
    { idp }: FullPrincipal,
    origin: RequestOrigin,
    reply: Reply,
  ): Promise<OutgoingMessage | undefined> {
    const returnTo = idp === undefined ? undefined : await this.requests.store(request);
    const to = await this.logouts.logOutSession(reply.cookies[SESSION], origin, returnTo);
    this.cookies.clearAll(reply);
    return to;
  }
}
