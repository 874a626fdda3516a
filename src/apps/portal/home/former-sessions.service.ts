import { Injectable } from '@nestjs/common';
import { Sessions } from '../../../identity/session/sessions.service.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { AuthCookies, SESSION } from '../../../signin/auth/cookies.js';
import { SessionRevocation } from '../../../signin/auth/session-revocation.service.js';

/** Ends the session of a browser in which another user begins to sign in. */
@Injectable()
export class FormerSessions {
  constructor(
    private readonly sessions: Sessions,
    private readonly revocation: SessionRevocation,
    private readonly cookies: AuthCookies,
  ) {}

  /** Has no effect in a browser without a session. */
  async end(reply: Reply): Promise<void> {
    const { [SESSION]: secret } = reply.cookies;
    const session = secret === undefined ? undefined : await this.sessions.findBySecret(secret);
    if (!session) return;
    await this.revocation.revoke(session.subject, session.id, 'replaced');
    this.cookies.clearAll(reply);
  }
}
