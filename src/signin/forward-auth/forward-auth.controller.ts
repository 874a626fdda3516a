import { Controller, Get, Query, Req } from '@nestjs/common';
import * as v from 'valibot';
import { PageRoute, Public, TakesCrossSite } from '../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../platform/rate-limit/rate-limited.decorator.js';
import { type Reply, Res } from '../../platform/web/cookies.js';
import type { HttpRequest } from '../../platform/web/http-request.js';
import { ApiTag, AtApplications, ErrorPages, MediaTypes, Operation } from '../../platform/web/route.decorator.js';
import { text } from '../../platform/web/schema.js';
import { SIGN_IN_PAGE } from '../auth/page-paths.js';
import { ApplicationSignIn } from './application-sign-in.service.js';
import { AUTHORIZE, CALLBACK, CHECK, SIGN_IN, TAG_DESCRIPTION } from './forward-auth.openapi.js';
import { ForwardAuth, originOf } from './forward-auth.service.js';
import { PortalSignIn } from './portal-sign-in.service.js';
import { MAX_RETURN } from './request-target.js';

const secret = v.pipe(v.string(), v.regex(/^[\w-]{43}$/));

/** Authentication of requests to applications for their proxies. */
@ApiTag('Forward authentication', TAG_DESCRIPTION)
@Public()
@Controller('forward-auth')
export class ForwardAuthController {
  constructor(
    private readonly access: ForwardAuth,
    private readonly application: ApplicationSignIn,
    private readonly portal: PortalSignIn,
  ) {}

  /** The headers are those of the request to the application, whatever media type it accepts and wherever it comes from. */
  @Get()
  @RateLimited('self-service')
  @TakesCrossSite()
  @AtApplications()
  @MediaTypes()
  @Operation(CHECK)
  async decide(@Req() request: HttpRequest, @Res() reply: Reply): Promise<''> {
    await this.access.decide(request, reply);
    return '';
  }

  /** Error pages here and at the callback load no scripts and styles, which would be of the application. */
  @Get('sign-in')
  @PageRoute()
  @RateLimited('sso')
  @TakesCrossSite()
  @AtApplications()
  @MediaTypes()
  @ErrorPages('/', { isBare: true })
  @Operation(SIGN_IN)
  async signIn(
    @Query('return_to', { schema: text(MAX_RETURN) }) returnTo: string,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<''> {
    await this.application.begin(originOf(request), returnTo, reply);
    return '';
  }

  @Get('authorize')
  @PageRoute()
  @RateLimited('sso')
  @TakesCrossSite()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(AUTHORIZE)
  async authorize(@Query('request', { schema: secret }) request: string, @Res() reply: Reply): Promise<''> {
    await this.portal.authorize(request, reply);
    return '';
  }

  @Get('callback')
  @PageRoute()
  @RateLimited('sso')
  @TakesCrossSite()
  @AtApplications()
  @MediaTypes()
  @ErrorPages('/', { isBare: true })
  @Operation(CALLBACK)
  async callback(
    @Query('code', { schema: secret }) code: string,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<''> {
    await this.application.end(originOf(request), code, reply);
    return '';
  }
}
