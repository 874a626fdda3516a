import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ServiceError } from '../../errors/service-error.js';
import { CROSS_SITE, PAGE, SIGN_IN, hasMark } from '../../principal/access.decorator.js';
import { cookiesOf } from '../../web/cookies.js';
import type { HttpRequest } from '../../web/http-request.js';
import { isCrossSite } from './cross-site.js';
import { TrustedOrigins } from './trusted-origins.service.js';

/** Rejects requests that another site makes a browser send, wherever cookies authenticate the browser. */
@Injectable()
export class CrossSiteGuard implements CanActivate {
  constructor(
    private readonly origins: TrustedOrigins,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (hasMark(this.reflector, CROSS_SITE, context)) return true;
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const isCookieRequest = request.headers.authorization === undefined && Object.keys(cookiesOf(request)).length > 0;
    if (!isCookieRequest && !hasMark(this.reflector, SIGN_IN, context)) return true;
    const { 'sec-fetch-site': fetchSite, origin } = request.headers;
    const facts = {
      method: request.method,
      isPage: hasMark(this.reflector, PAGE, context),
      ...(typeof fetchSite === 'string' && { fetchSite }),
      ...(origin !== undefined && { origin }),
    };
    if (isCrossSite(facts, this.origins.forRequest(request))) throw new ServiceError('CROSS_SITE');
    return true;
  }
}
