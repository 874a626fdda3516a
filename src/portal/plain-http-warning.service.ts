import { Injectable } from '@nestjs/common';
import { AuthCookies } from '../auth/cookies.js';
import { isPlainHttp } from '../auth/plain-http.js';
import { Clock } from '../clock/clock.js';
import type { Logger } from '../logging/logger.js';
import { Loggers } from '../logging/loggers.js';
import type { HttpRequest } from '../web/http-request.js';

const SECONDS_BETWEEN_LINES = 3600;

/** Detects browsers that cannot sign in because they drop Secure cookies over http, and logs a warning. */
@Injectable()
export class PlainHttpWarning {
  private readonly log: Logger;
  private quietUntil = 0;

  constructor(
    private readonly cookies: AuthCookies,
    private readonly clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('auth');
  }

  /** True if the browser of this request drops our cookies; logs a warning at most once an hour. */
  isCookieLost(request: HttpRequest): boolean {
    if (!this.cookies.areSecure || !isPlainHttp(request)) return false;
    const now = this.clock.seconds();
    if (now >= this.quietUntil) {
      this.quietUntil = now + SECONDS_BETWEEN_LINES;
      const message =
        'The sign-in page was opened over http: browsers drop Secure cookies there, so sign-in cannot work';
      this.log.warn(message, { host: request.host });
    }
    return true;
  }
}
