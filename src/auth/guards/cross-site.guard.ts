import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ServiceError } from '../../errors/service-error.js';
import { CROSS_SITE } from '../../principal/access.decorator.js';
import { cookiesOf } from '../../web/cookies.js';
import { type HttpRequest, templateOf } from '../../web/http-request.js';
import { isCrossSite } from './cross-site.js';
import { TrustedOrigins } from './trusted-origins.service.js';
import { isPageRoute, SIGN_IN_PAGE, SIGN_OUT_PATH } from '../page-paths.js';

/**
 * Routes whose response signs a browser in or out: checked without a cookie, too. With a form of another site a browser
 * sends no SameSite cookie, but it keeps and drops cookies as the response says.
 */
const SETS_COOKIES = new Set(['/login', '/login/2fa', '/session', SIGN_IN_PAGE, SIGN_OUT_PATH, '/saml/:idp/logout']);

/** Refuses what another site makes a browser send, wherever a cookie would speak for the browser. */
@Injectable()
export class CrossSiteGuard implements CanActivate {
  constructor(
    private readonly origins: TrustedOrigins,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.get<boolean | undefined>(CROSS_SITE, context.getHandler())) return true;
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const isCookieRequest = request.headers.authorization === undefined && Object.keys(cookiesOf(request)).length > 0;
    const template = templateOf(request);
    if (!isCookieRequest && !SETS_COOKIES.has(template) && !template.startsWith('/token/')) return true;
    const { 'sec-fetch-site': fetchSite, origin } = request.headers;
    const facts = {
      method: request.method,
      isPage: isPageRoute(template),
      ...(typeof fetchSite === 'string' && { fetchSite }),
      ...(origin !== undefined && { origin }),
    };
    if (isCrossSite(facts, this.origins.forRequest(request))) throw new ServiceError('CROSS_SITE');
    return true;
  }
}
