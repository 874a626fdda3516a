import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { Public, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, OAuthForm, Operation } from '../../../platform/web/route.decorator.js';
import { answering, type OAuthBody } from '../oauth-response.js';
import { PAR } from '../oidc.openapi.js';
import { ClientAuthentication } from '../token/client-authentication.service.js';
import { formParameters } from './parameters.js';
import { PushedRequests } from './pushed-requests.service.js';

/** Pushed authorization requests (RFC 9126). */
@ApiTag('OpenID Connect')
@Public()
@Controller('par')
export class ParController {
  constructor(
    private readonly authentication: ClientAuthentication,
    private readonly pushed: PushedRequests,
  ) {}

  @Post()
  @HttpCode(201)
  @TakesCrossSite()
  @OAuthForm()
  @RateLimited('sso')
  @Operation(PAR)
  push(
    @Headers('authorization') authorization: string | undefined,
    @Body() form: unknown,
    @Res() reply: Reply,
  ): Promise<OAuthBody> {
    return answering(reply, async () => {
      const sent = formParameters(form);
      return this.pushed.push(await this.authentication.authenticate(authorization, sent), sent);
    });
  }
}
