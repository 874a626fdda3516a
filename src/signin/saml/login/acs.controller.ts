import { Body, Controller, Param, Post, Redirect, Req } from '@nestjs/common';
import * as v from 'valibot';
import { AuthCookies, SAML_REQUEST, SESSION } from '../../auth/cookies.js';
import { SessionCookies } from '../../auth/session-cookies.service.js';
import { RESUME_PAGE, secondFactorPage, SIGN_IN_PAGE } from '../../auth/page-paths.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import { problemPage } from '../../../platform/http/page/problem-page.js';
import { Public, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { requestContext } from '../../../kernel/principal/request-context.js';
import { cookieValues, Res, type Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { ApiTag, Operation, ErrorPages, FormBody } from '../../../platform/web/route.decorator.js';
import { ReturnTargets } from '../../../platform/web/return-targets.service.js';
import { Idps } from '../idp/idps.service.js';
import { CONSUME_RESPONSE } from '../saml.openapi.js';
import { responseSchema } from '../saml.schema.js';
import { AssertionConsumer } from './assertion-consumer.service.js';
import type { SamlRejection } from './rejection.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** Rejections of a response that may have signed this browser in before. */
const REPEATED_RESPONSE: ReadonlySet<string | undefined> = new Set<SamlRejection>([
  'in_response_to',
  'other_browser',
  'request_used',
  'replay',
]);

/** The assertion consumer service: receives the responses of identity providers (http-api section 8). */
@Public()
@ApiTag('Staff login')
@RateLimited('sso')
@Controller('saml')
export class AcsController {
  constructor(
    private readonly idps: Idps,
    private readonly consumer: AssertionConsumer,
    private readonly sessionCookies: SessionCookies,
    private readonly cookies: AuthCookies,
    private readonly targets: ReturnTargets,
  ) {}

  @Post(':idp/acs')
  @TakesCrossSite()
  @FormBody()
  @ErrorPages(SIGN_IN_PAGE)
  @Redirect('', 303)
  @Operation({ ...CONSUME_RESPONSE, body: responseSchema })
  async consumeResponse(
    @Param('idp') name: string,
    @Body() body: unknown,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const form = v.safeParse(responseSchema, body);
    const idp = this.idps.named(name);
    if (!form.success) return this.consumer.reject(idp, 'malformed');
    const { SAMLResponse: response, RelayState: relayState } = form.output;
    const browser = { samlRequests: cookieValues(request, SAML_REQUEST), session: reply.cookies[SESSION] };
    const login = await this.offeringResume(() =>
      this.consumer.consumeResponse(idp, { response, relayState }, browser, request),
    );
    const { opened, local, cookie } = login;
    if (cookie) this.cookies.setSamlRequest(reply, cookie.value, cookie.maxAge);
    else this.cookies.clearSamlRequest(reply);
    this.sessionCookies.writeCookies(reply, opened);
    // Validated when the login began; the stored value is validated again.
    const returnTo = this.targets.resolve(login.returnTo);
    if (!local) return { url: returnTo };
    return { url: secondFactorPage(this.targets.contextPath, local.isEnrolment ? 'enrol' : 'verify', returnTo) };
  }

  /**
   * After "Back" the browser posts the response once more, and it is rejected. The cookie of the session that began with the
   * first response is not sent with a post from another site, so the error page leads to a page that looks for it.
   */
  private async offeringResume<T>(consume: () => Promise<T>): Promise<T> {
    try {
      return await consume();
    } catch (error) {
      if (!(error instanceof ServiceError) || !REPEATED_RESPONSE.has(error.facts.reason)) throw error;
      const problem = { code: error.code, requestId: requestContext()?.requestId ?? '' };
      const page = problemPage(problem, SIGN_IN_PAGE, this.targets.contextPath + RESUME_PAGE);
      throw HttpError.withPage(error, page);
    }
  }
}
