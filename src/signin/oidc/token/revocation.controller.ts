import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { Public, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, ForApplications, OAuthForm, Operation } from '../../../platform/web/route.decorator.js';
import { formParameters } from '../authorize/parameters.js';
import { answering, type OAuthBody } from '../oauth-response.js';
import { REVOKE } from '../oidc.openapi.js';
import { ClientAuthentication } from './client-authentication.service.js';
import { TokenRevocation } from './token-revocation.service.js';

/** The revocation endpoint of applications (RFC 7009). */
@ApiTag('OpenID Connect')
@Public()
@Controller('revoke')
export class RevocationController {
  constructor(
    private readonly authentication: ClientAuthentication,
    private readonly revocation: TokenRevocation,
  ) {}

  @Post()
  @HttpCode(200)
  @TakesCrossSite()
  @ForApplications()
  @OAuthForm()
  @RateLimited('self-service')
  @Operation(REVOKE)
  revoke(
    @Headers('authorization') authorization: string | undefined,
    @Body() form: unknown,
    @Res() reply: Reply,
  ): Promise<OAuthBody> {
    return answering(reply, async () => {
      const parameters = formParameters(form);
      await this.revocation.revoke(parameters, await this.authentication.authenticate(authorization, parameters));
      return {};
    });
  }
}
