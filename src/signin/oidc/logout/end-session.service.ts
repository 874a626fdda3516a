import { Injectable } from '@nestjs/common';
import type { Reply } from '../../../platform/web/cookies.js';
import { AuthCookies, SESSION } from '../../auth/cookies.js';
import { RequestAuthenticator } from '../../auth/guards/request-authenticator.service.js';
import { SessionRevocation } from '../../auth/session-revocation.service.js';
import type { Parameters } from '../authorize/parameters.js';
import { EndSessionRequests } from './end-session-requests.service.js';

/** Ends the session of a browser at the request of an application, and sends the browser back to it. */
@Injectable()
export class EndSession {
  constructor(
    private readonly requests: EndSessionRequests,
    private readonly authentication: RequestAuthenticator,
    private readonly revocation: SessionRevocation,
    private readonly cookies: AuthCookies,
  ) {}

  /**
   * Returns where the browser goes next: to the application, or first to the page that asks its user. Only an ID token of that
   * user shows that the application, and no link of another site, requests it.
   * @throws OAuthError for a request that names an unknown application or address
   */
  async end(sent: Parameters, reply: Reply): Promise<string> {
    const request = await this.requests.read(sent);
    const visitor = await this.authentication.visitor(reply.cookies[SESSION]);
    if (visitor?.kind === 'full') {
      if (visitor.subject !== request.hint?.subject) return this.requests.confirmPath(request);
      await this.revocation.revoke(visitor.subject, visitor.sid);
      this.cookies.clearAll(reply);
    } else if (request.hint) {
      // Whoever holds an ID token ends the session of its application by it, and no session of a browser.
      await this.revocation.revoke(request.hint.subject, request.hint.sid);
    }
    return this.requests.returnPath(request);
  }

  /** Stores a request that arrived by POST; returns the path at which it goes on. @throws as `end` does */
  async store(sent: Parameters): Promise<string> {
    return this.requests.store(await this.requests.read(sent));
  }
}
