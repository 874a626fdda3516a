import { Injectable } from '@nestjs/common';
import { ServletProperties } from '../http/server.properties.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { safeReturnPath, safeReturnUrl } from './return-to.js';
import { ReturnProperties } from './return.properties.js';

/** Decides where a sign-in may end: at a path of this service, or at an application of an allowed origin. */
@Injectable()
export class ReturnTargets {
  readonly contextPath: string;
  private readonly allowedOrigins: readonly string[];
  private readonly log: Logger;

  constructor({ contextPath }: ServletProperties, { allowedOrigins }: ReturnProperties, loggers: Loggers) {
    this.contextPath = contextPath;
    this.allowedOrigins = allowedOrigins;
    this.log = loggers.get('auth');
  }

  /** The value for `Location`; the home page in place of anything that is not allowed. */
  resolve(returnTo: string | undefined): string {
    const allowed = safeReturnUrl(returnTo, this.allowedOrigins);
    if (allowed !== undefined) return allowed;
    const path = safeReturnPath(returnTo, this.contextPath);
    if (returnTo !== undefined && path !== returnTo) {
      const origin = URL.parse(returnTo)?.origin ?? 'none';
      this.log.info('A return_to that is not allowed leads to the home page', { origin: origin.slice(0, 100) });
    }
    return path;
  }
}
