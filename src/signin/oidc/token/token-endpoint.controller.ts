import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { Public, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, ForApplications, OAuthForm, Operation } from '../../../platform/web/route.decorator.js';
import { formParameters, type Parameters } from '../authorize/parameters.js';
import { answering, type OAuthBody } from '../oauth-response.js';
import { TOKEN } from '../oidc.openapi.js';
import { ClientAuthentication } from './client-authentication.service.js';
import { Grants } from './grants.service.js';

/** The token endpoint (RFC 6749 section 3.2). */
@ApiTag('OpenID Connect', 'For applications that users sign in to.')
@Public()
@Controller('token')
export class TokenEndpointController {
  constructor(
    private readonly authentication: ClientAuthentication,
    private readonly grants: Grants,
  ) {}

  @Post()
  @HttpCode(200)
  @TakesCrossSite()
  @ForApplications()
  @OAuthForm()
  @RateLimited('self-service')
  @Operation(TOKEN)
  token(
    @Headers('authorization') authorization: string | undefined,
    @Body() form: unknown,
    @Res() reply: Reply,
  ): Promise<OAuthBody> {
    return answering(reply, async () => {
      const parameters: Parameters = formParameters(form);
      const client = await this.authentication.authenticate(authorization, parameters);
      return this.grants.exchange(parameters, client);
    });
  }
}
