import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { PageRoute, Public, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { SIGN_IN_PAGE } from '../../auth/page-paths.js';
import { HTML } from '../../../platform/http/page/layout.js';
import type { View } from '../../../platform/http/page/view.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { RawQuery } from '../../../platform/web/http-request.js';
import { ApiTag, ErrorPages, FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import { OAuthError } from '../oauth-error.js';
import { AUTHORIZE } from '../oidc.openapi.js';
import { AuthorizationEndpoint } from './authorization-endpoint.service.js';
import { AuthorizationResponses } from './authorization-responses.service.js';
import { formParameters, parseParameters } from './parameters.js';

/** The authorization endpoint (RFC 6749 section 3.1). */
@ApiTag('OpenID Connect')
@Public()
@PageRoute()
@RateLimited('sso')
@Controller('authorize')
export class AuthorizeController {
  constructor(
    private readonly endpoint: AuthorizationEndpoint,
    private readonly responses: AuthorizationResponses,
  ) {}

  @Get()
  @TakesCrossSite()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(AUTHORIZE)
  authorize(@RawQuery() query: string, @Res() reply: Reply): Promise<View | ''> {
    return this.respond(() => this.endpoint.authorize(parseParameters(query), reply), reply);
  }

  /** Browsers send no cookie with a form of another site, so the request goes on by GET. */
  @Post()
  @HttpCode(200)
  @TakesCrossSite()
  @FormBody()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(AUTHORIZE)
  authorizeByForm(@Body() form: unknown, @Res() reply: Reply): Promise<View | ''> {
    return this.respond(() => this.endpoint.store(formParameters(form), reply), reply);
  }

  private async respond(run: () => Promise<View | ''>, reply: Reply): Promise<View | ''> {
    try {
      const page = await run();
      if (page !== '') reply.setHeader('content-type', HTML);
      return page;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const facts = { reason: 'authorization request', page: this.responses.page(error) } as const;
      throw new HttpError('VALIDATION_FAILED', facts);
    }
  }
}
