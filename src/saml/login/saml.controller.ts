import { Body, Controller, Get, Header, Param, Post, Query, Redirect, Req } from '@nestjs/common';
import * as v from 'valibot';
import { AuthCookies, SAML_REQUEST, SESSION } from '../../auth/cookies.js';
import { CredentialWriter } from '../../auth/credential-writer.service.js';
import { RESUME_PAGE, secondFactorPage, SIGN_IN_PAGE } from '../../auth/page-paths.js';
import { ServiceError } from '../../errors/service-error.js';
import { Public, TakesCrossSite } from '../../principal/access.decorator.js';
import { requestContext } from '../../principal/request-context.js';
import { FormBody, ErrorPages } from '../../web/route.decorator.js';
import { Res, type Reply } from '../../web/cookies.js';
import type { HttpRequest } from '../../web/http-request.js';
import { ApiTag, Operation, ResponseSchema } from '../../web/openapi/operation.decorator.js';
import { HttpError } from '../../http/errors/http-error.js';
import { problemPage } from '../../http/errors/problem-page.js';
import { safeReturnPath } from '../../web/return-to.js';
import { ServletProperties } from '../../http/server.properties.js';
import { redirectOrPost, FORWARDING_SCRIPT, SCRIPT } from './forwarding-page.js';
import { Idps } from '../idp/idps.service.js';
import { CONSUME_RESPONSE, START_SSO, FORWARDING_SCRIPT_FILE, LIST_IDPS } from '../saml.openapi.js';
import type { Rejection } from './rejection.js';
import { type BrowserCookies, SamlLogins } from './saml-logins.service.js';
import { startSsoSchema, idpsResponse, responseSchema } from '../saml.schema.js';

/** Rejections of a response that may have signed this browser in before. */
const REPEATED_RESPONSE: ReadonlySet<string | undefined> = new Set<Rejection>([
  'in_response_to',
  'other_browser',
  'request_used',
  'replay',
]);

/** Sign-in of staff through their identity providers (http-api section 8). */
@Public()
@ApiTag('Staff login', 'Through an identity provider, by SAML 2.0. All of it is for browsers.')
@Controller('saml')
export class SamlController {
  private readonly contextPath: string;

  constructor(
    private readonly idps: Idps,
    private readonly logins: SamlLogins,
    private readonly handover: CredentialWriter,
    private readonly cookies: AuthCookies,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  @Get()
  @Operation(LIST_IDPS)
  @ResponseSchema(idpsResponse)
  list(): v.InferOutput<typeof idpsResponse> {
    const items = this.idps.list().map(({ name: idp, displayName: name }) => ({
      idp,
      name,
      login: `${this.contextPath}/saml/${idp}/login`,
    }));
    return { items };
  }

  @Get(SCRIPT)
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Operation(FORWARDING_SCRIPT_FILE)
  @ResponseSchema(v.string())
  script(): string {
    return FORWARDING_SCRIPT;
  }

  @Get(':idp/login')
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(START_SSO)
  @ResponseSchema(v.string())
  async startSso(
    @Param('idp') name: string,
    @Query({ schema: startSsoSchema }) { return_to: returnTo, acr, prompt }: v.InferOutput<typeof startSsoSchema>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<string> {
    // A page of another site that loads this as an image would push out the pending logins of this browser.
    const { 'sec-fetch-dest': destination = 'document' } = request.headers;
    if (destination !== 'document') throw new ServiceError('CROSS_SITE', { reason: 'no navigation' });
    const wish = { returnTo: safeReturnPath(returnTo, this.contextPath), acr, isForced: prompt === 'login' };
    const { to, cookie: mark } = await this.logins.startSso(this.idps.named(name), wish, cookiesOf(reply), request);
    this.cookies.setSamlRequest(reply, mark.value, mark.maxAge);
    return redirectOrPost(reply, to, this.contextPath);
  }

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
    if (!form.success) return this.logins.reject(idp, 'malformed');
    const { SAMLResponse: response, RelayState: relayState } = form.output;
    const offerResume = await this.arrival(() =>
      this.logins.consumeResponse(idp, { response, relayState }, cookiesOf(reply), request),
    );
    const { opened, local, cookie: mark } = offerResume;
    if (mark) this.cookies.setSamlRequest(reply, mark.value, mark.maxAge);
    else this.cookies.clearSamlRequest(reply);
    this.handover.writeCookies(reply, opened);
    // Validated when the login began; the stored value is validated again.
    const returnTo = safeReturnPath(offerResume.returnTo, this.contextPath);
    if (!local) return { url: returnTo };
    return { url: secondFactorPage(this.contextPath, local.isEnrolment ? 'enrol' : 'verify', returnTo) };
  }

  /**
   * After "Back" the browser posts the response once more, and it is rejected. The cookie of the session that began with the
   * first response is not sent with a post from another site, so the error page leads to a page that looks for it.
   */
  private async arrival<T>(arrive: () => Promise<T>): Promise<T> {
    try {
      return await arrive();
    } catch (error) {
      if (!(error instanceof ServiceError) || !REPEATED_RESPONSE.has(error.facts.reason)) throw error;
      const told = { code: error.code, requestId: requestContext()?.requestId ?? '' };
      const page = problemPage(told, this.contextPath + SIGN_IN_PAGE, this.contextPath + RESUME_PAGE);
      throw HttpError.withPage(error, page);
    }
  }
}

function cookiesOf({ cookies }: Reply): BrowserCookies {
  return { samlRequest: cookies[SAML_REQUEST], session: cookies[SESSION] };
}
