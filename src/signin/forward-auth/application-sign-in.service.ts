import { Injectable } from '@nestjs/common';
import { isSecretForm, SECRET_BYTES } from '../../identity/session/session.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { Random } from '../../kernel/random/random.js';
import type { Reply } from '../../platform/web/cookies.js';
import { ApplicationCookies } from './application-cookies.js';
import { ApplicationSessions } from './application-sessions.service.js';
import { ProtectedApplications } from './protected-applications.js';
import { requestTarget } from './request-target.js';
import { SignInRequests } from './sign-in-requests.service.js';

/** The parts of a sign-in at the host of an application, where its proxy passes these requests to this service. */
@Injectable()
export class ApplicationSignIn {
  constructor(
    private readonly applications: ProtectedApplications,
    private readonly requests: SignInRequests,
    private readonly sessions: ApplicationSessions,
    private readonly cookies: ApplicationCookies,
    private readonly random: Random,
  ) {}

  /** Redirects the browser to the host of this service. @throws ServiceError `ACCESS_DENIED` at a host without a rule */
  async begin(origin: string, returnTo: string, reply: Reply): Promise<void> {
    const uri = this.requireKnown(origin, returnTo);
    const kept = this.cookies.stateOf(reply) ?? '';
    // Tabs that begin together share the state, so that each of them ends.
    const state = isSecretForm(kept) ? kept : this.random.text(SECRET_BYTES);
    const request = await this.requests.begin({ origin, uri }, state);
    this.cookies.setState(reply, state);
    reply.seeOther(this.applications.authorizeUrl(request));
  }

  /** Exchanges the code for a cookie. @throws ServiceError `VALIDATION_FAILED` if it is not one of this browser and host */
  async end(origin: string, code: string, reply: Reply): Promise<void> {
    const former = this.cookies.sessionOf(reply.cookies, reply.protocol);
    const sent = { code, origin, state: this.cookies.stateOf(reply) ?? '' };
    const opened = await this.sessions.open(sent, former);
    if (!opened) {
      // A second request with the same code, such as that of the back button.
      if (!(await this.sessions.visitor(former, origin))) throw rejected();
      reply.seeOther(`${origin}/`);
      return;
    }
    this.cookies.setSession(reply, opened.secret);
    reply.seeOther(origin + opened.uri);
  }

  private requireKnown(origin: string, returnTo: string): string {
    const target = requestTarget(returnTo);
    if (target && this.applications.rules.find(origin, target.path)) return target.uri;
    throw new ServiceError('ACCESS_DENIED', { reason: 'forward-auth rule' });
  }
}

function rejected(): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { reason: 'forward-auth code' });
}
