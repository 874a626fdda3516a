import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { PageRoute, Public, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import { HTML } from '../../../platform/http/page/layout.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { RawQuery } from '../../../platform/web/http-request.js';
import { ApiTag, ErrorPages, FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { SIGN_IN_PAGE } from '../../auth/page-paths.js';
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
  constructor(
    private readonly endSession: EndSession,
    private readonly responses: AuthorizationResponses,
  ) {}

  @Get()
  @TakesCrossSite()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(END_SESSION)
  end(@RawQuery() query: string, @Res() reply: Reply): Promise<''> {
    return this.respond(() => this.endSession.end(parseParameters(query), reply), reply);
  }

  /** Browsers send no cookie with a form of another site, so the request goes on by GET. */
  @Post()
  @HttpCode(200)
  @TakesCrossSite()
  @FormBody()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(END_SESSION)
  endByForm(@Body() form: unknown, @Res() reply: Reply): Promise<''> {
    return this.respond(() => this.endSession.store(formParameters(form)), reply);
  }

  /** Redirects to the path or address that `run` returns. */
  private async respond(run: () => Promise<string>, reply: Reply): Promise<''> {
    try {
      reply.seeOther(await run());
      reply.setHeader('content-type', HTML);
      return '';
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const facts = { reason: 'authorization request', page: this.responses.page(error) } as const;
      throw new HttpError('VALIDATION_FAILED', facts);
    }
  }
}
