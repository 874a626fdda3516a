import { Body, Controller, Post, Redirect, UseGuards } from '@nestjs/common';
import { AuthCookies } from '../../auth/cookies.js';
import { secondFactorPage, SIGN_IN_PAGE } from '../../auth/page-paths.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { Public, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, Operation, ErrorPages, FormBody } from '../../../platform/web/route.decorator.js';
import { ReturnTargets } from '../../../platform/web/return-targets.service.js';
import { CONSUME_RESPONSE } from '../saml.openapi.js';
import { responseSchema } from '../saml.schema.js';
import type { SsoResult } from './assertion-consumer.service.js';
import { AcceptedLogin, SamlAuthGuard } from './saml-auth.guard.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** The assertion consumer service: receives the responses of identity providers (http-api section 8). */
@Public()
@ApiTag('Staff login')
@RateLimited('sso')
@Controller('saml')
export class AcsController {
  constructor(
    private readonly cookies: AuthCookies,
    private readonly targets: ReturnTargets,
    private readonly clock: Clock,
  ) {}

  @Post(':idp/acs')
  @TakesCrossSite()
  @FormBody()
  @ErrorPages(SIGN_IN_PAGE)
  @UseGuards(SamlAuthGuard)
  @Redirect('', 303)
  @Operation({ ...CONSUME_RESPONSE, body: responseSchema })
  consumeResponse(
    @AcceptedLogin() login: SsoResult,
    // The guard reads it; a route without this parameter rejects every body.
    @Body() _form: unknown,
    @Res() reply: Reply,
  ): { readonly url: string } {
    const { opened, local, cookie } = login;
    if (cookie) this.cookies.setSamlRequest(reply, cookie.value, cookie.maxAge);
    else this.cookies.clearSamlRequest(reply);
    this.cookies.setCredentials(reply, opened, this.clock.seconds());
    // Validated when the login began; the stored value is validated again.
    const returnTo = this.targets.resolve(login.returnTo);
    if (!local) return { url: returnTo };
    return { url: secondFactorPage(this.targets.contextPath, local.isEnrolment ? 'enrol' : 'verify', returnTo) };
  }
}
