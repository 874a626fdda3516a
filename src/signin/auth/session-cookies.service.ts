import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { OpenedSession } from '../../identity/session/session.js';
import type { Reply } from '../../platform/web/cookies.js';
import { AuthCookies } from './cookies.js';

/** Writes the cookies of a session. */
@Injectable()
export class SessionCookies {
  constructor(
    protected readonly cookies: AuthCookies,
    protected readonly clock: Clock,
  ) {}

  /** Writes the cookie of the session, and of its refresh token if it has one. */
  writeCookies(reply: Reply, { secret, refreshToken }: OpenedSession): void {
    if (secret !== undefined) this.cookies.setSession(reply, secret);
    if (!refreshToken) return;
    this.cookies.setRefreshToken(reply, refreshToken.value, refreshToken.expiresAt - this.clock.seconds());
  }
}
