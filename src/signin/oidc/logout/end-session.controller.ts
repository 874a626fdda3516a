import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { PageRoute, Public, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import { HTML } from '../../../platform/http/page/layout.js';
import type { View } from '../../../platform/http/page/view.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { type HttpRequest, RawQuery } from '../../../platform/web/http-request.js';
import { ApiTag, ErrorPages, FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { SIGN_IN_PAGE } from '../../auth/page-paths.js';
import { redirectOrPost } from '../../saml/login/forwarding-page.js';
import type { OutgoingMessage } from '../../saml/login/response/saml-messages.js';
import { AuthorizationResponses } from '../authorize/authorization-responses.service.js';
import { formParameters, parseParameters } from '../authorize/parameters.js';
import { OAuthError } from '../oauth-error.js';
import { END_SESSION } from '../oidc.openapi.js';
import { EndSession } from './end-session.service.js';

/** Sign-outs that applications request (OpenID Connect RP-Initiated Logout). */
@ApiTag('OpenID Connect')
@Public()
@PageRoute()
@RateLimited('sso')
@Controller('end-session')
export class EndSessionController {
  private readonly contextPath: string;

  constructor(
    private readonly endSession: EndSession,
    private readonly responses: AuthorizationResponses,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  @Get()
  @TakesCrossSite()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(END_SESSION)
  end(@RawQuery() query: string, @Req() request: HttpRequest, @Res() reply: Reply): Promise<View | ''> {
    return this.respond(() => this.endSession.end(parseParameters(query), request, reply), reply);
  }

  /** Browsers send no cookie with a form of another site, so the request goes on by GET. */
  @Post()
  @HttpCode(200)
  @TakesCrossSite()
  @FormBody()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(END_SESSION)
  endByForm(@Body() form: unknown, @Res() reply: Reply): Promise<View | ''> {
    return this.respond(() => this.endSession.store(formParameters(form)), reply);
  }

  private async respond(run: () => Promise<OutgoingMessage>, reply: Reply): Promise<View | ''> {
    try {
      const page = redirectOrPost(reply, await run(), this.contextPath);
      reply.setHeader('content-type', HTML);
      return page;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const facts = { reason: 'authorization request', page: this.responses.page(error) } as const;
      throw new HttpError('VALIDATION_FAILED', facts);
    }
  }
}
