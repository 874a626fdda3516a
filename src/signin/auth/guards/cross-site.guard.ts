import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import {
  ALLOWED_ORIGINS,
  CROSS_SITE,
  OWN_SITE,
  PAGE,
  PUBLIC,
  SIGN_IN,
  hasMark,
} from '../../../kernel/principal/access.decorator.js';
import { cookiesOf } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { PublicUrlProperties } from '../../../platform/http/server.properties.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { CorsProperties } from '../auth.properties.js';
import { isCrossSite, type KnownOrigins, SAFE } from './cross-site.js';

/** The origins of the service, and the other origins whose scripts may call it. */
@Injectable()
export class TrustedOrigins {
  private readonly allowed: ReadonlySet<string>;
  private readonly configured: ReadonlySet<string> | undefined;

  constructor(cors: CorsProperties, { publicUrl }: PublicUrlProperties) {
    this.allowed = new Set(cors.allowedOrigins);
    this.configured = publicUrl === undefined ? undefined : new Set([new URL(publicUrl).origin]);
  }

  /** Without a public URL, the origin of the service is the one that the request was sent to (http-api section 2). */
  forRequest({ protocol, host }: HttpRequest): KnownOrigins {
    return { own: this.configured ?? new Set([`${protocol}://${host}`]), allowed: this.allowed };
  }

  /** True if a script of another origin sends the request. */
  isForeign(request: HttpRequest): boolean {
    const { origin } = request.headers;
    return origin !== undefined && !this.forRequest(request).own.has(origin);
  }
}

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
    const {
      method,
      headers: { authorization, 'sec-fetch-site': fetchSite, origin },
    } = request;
    const isPage = hasMark(this.reflector, PAGE, context);
    const isPublic = hasMark(this.reflector, PUBLIC, context);
    // `Authorization` replaces the cookie only where `AuthenticationGuard` reads it: public routes read the cookie themselves.
    const isByHeader = authorization !== undefined && !isPublic && !isPage;
    const isCookieRequest = !isByHeader && Object.keys(cookiesOf(request)).length > 0;
    if (!isCookieRequest && !hasMark(this.reflector, SIGN_IN, context)) return true;
    // A public document, such as the published keys, is the same for everyone.
    const isDocument = SAFE.has(method) && !isPage && isPublic;
    const facts = {
      method,
      isPage,
      isForAllowed: isDocument || hasMark(this.reflector, ALLOWED_ORIGINS, context),
      isOwnSiteOnly: hasMark(this.reflector, OWN_SITE, context),
      ...withoutUndefined({ fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined, origin }),
    };
    if (isCrossSite(facts, this.origins.forRequest(request))) throw new ServiceError('CROSS_SITE');
    return true;
  }
}
