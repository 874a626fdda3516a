import { Injectable } from '@nestjs/common';
import { Sessions } from '../../../identity/session/sessions.service.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { AuthCookies, SESSION } from '../../auth/cookies.js';
import { RequestAuthenticator } from '../../auth/guards/request-authenticator.service.js';
import { SessionRevocation } from '../../auth/session-revocation.service.js';
import type { Parameters } from '../authorize/parameters.js';
import { EndSessionRequests, type EndSessionRequest } from './end-session-requests.service.js';

/** Ends the session of a browser at the request of an application, and sends the browser back to it. */
@Injectable()
export class EndSession {
  constructor(
    private readonly requests: EndSessionRequests,
    private readonly authentication: RequestAuthenticator,
    private readonly sessions: Sessions,
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
    const hinted = request.hint && (await this.parentOf(request.hint));
    if (visitor?.kind === 'full' && visitor.subject !== request.hint?.subject)
      return this.requests.confirmPath(request);
    const target = visitor?.kind === 'full' ? ofVisitor(visitor) : hinted;
    if (target) await this.revocation.revoke(target.subject, target.sid);
    if (visitor) this.cookies.clearAll(reply);
    return this.requests.returnPath(request);
  }

  /** Stores a request that arrived by POST; returns the path at which it goes on. @throws as `end` does */
  async store(sent: Parameters): Promise<string> {
    return this.requests.store(await this.requests.read(sent));
  }

  /** The browser's session with which the application has signed in, if it is live. */
  private async parentOf({ sid, subject }: NonNullable<EndSessionRequest['hint']>): Promise<Target | undefined> {
    const session = await this.sessions.find(sid);
    const parentId = session?.application?.parentId;
    return session?.subject === subject && parentId !== undefined ? { subject, sid: parentId } : undefined;
  }
}

interface Target {
  readonly subject: string;
  readonly sid: string;
}

function ofVisitor({ subject, sid }: FullPrincipal): Target {
  return { subject, sid };
}
