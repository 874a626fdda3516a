import { Body, Controller, Get, Headers, HttpCode, Post } from '@nestjs/common';
import { Public, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, ForApplications, FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { parseBearer } from '../../../platform/web/authorization-header.js';
import { formParameters } from '../authorize/parameters.js';
import { OAuthError } from '../oauth-error.js';
import { USERINFO } from '../oidc.openapi.js';
import { Userinfo } from './userinfo.service.js';

const JWT = 'application/jwt';

/** Claims about the user of an access token (OpenID Connect Core section 5.3). */
@ApiTag('OpenID Connect')
@Public()
@RateLimited('self-service')
@Controller('userinfo')
export class UserinfoController {
  constructor(private readonly userinfo: Userinfo) {}

  @Get()
  @TakesCrossSite()
  @ForApplications()
  @Operation(USERINFO)
  get(@Headers('authorization') authorization: string | undefined, @Res() reply: Reply): Promise<object | string> {
    return this.respond(authorization, undefined, reply);
  }

  /** Also takes the token in the form (RFC 6750 section 2.2). */
  @Post()
  @HttpCode(200)
  @TakesCrossSite()
  @ForApplications()
  @FormBody()
  @Operation(USERINFO)
  post(
    @Headers('authorization') authorization: string | undefined,
    @Body() form: unknown,
    @Res() reply: Reply,
  ): Promise<object | string> {
    return this.respond(authorization, formParameters(form).get('access_token'), reply);
  }

  /** Errors have the form of RFC 6750 section 3.1. */
  private async respond(
    authorization: string | undefined,
    inForm: string | undefined,
    reply: Reply,
  ): Promise<object | string> {
    const hasToken = authorization !== undefined || inForm !== undefined;
    try {
      const inHeader = authorization === undefined ? undefined : parseBearer(authorization);
      const token = authorization === undefined || inForm === undefined ? (inHeader ?? inForm) : undefined;
      const claims = await this.userinfo.of(token);
      if (typeof claims === 'string') reply.setHeader('content-type', JWT);
      return claims;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      reply.setStatus(error.status);
      const { code, description } = error;
      reply.setHeader(
        'www-authenticate',
        `Bearer${hasToken ? ` error="${code}", error_description="${description}"` : ''}`,
      );
      return error.body;
    }
  }
}
