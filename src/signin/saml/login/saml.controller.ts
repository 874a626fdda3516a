import { Controller, Get, Header, Param, Query, Req } from '@nestjs/common';
import * as v from 'valibot';
import { AuthCookies, SAML_REQUEST, SESSION } from '../../auth/cookies.js';
import { SIGN_IN_PAGE } from '../../auth/page-paths.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import { Public } from '../../../kernel/principal/access.decorator.js';
import { cookieValues, Res, type Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { ApiTag, Operation, ResponseSchema, ErrorPages } from '../../../platform/web/route.decorator.js';
import { ReturnTargets } from '../../../platform/web/return-targets.service.js';
import type { View } from '../../../platform/http/page/view.js';
import { Idps } from '../idp/idps.service.js';
import { FORWARDING_SCRIPT_FILE, LIST_IDPS, START_SSO } from '../saml.openapi.js';
import { idpsResponse, startSsoSchema } from '../saml.schema.js';
import { FORWARDING_SCRIPT, redirectOrPost, SCRIPT } from './forwarding-page.js';
import { SpInitiatedLogin } from './sp-initiated-login.service.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** Sends staff to their identity providers (http-api section 8). */
@Public()
@ApiTag('Staff login', 'Through an identity provider, by SAML 2.0. All of it is for browsers.')
@RateLimited('sso')
@Controller('saml')
export class SamlController {
  private readonly contextPath: string;

  constructor(
    private readonly idps: Idps,
    private readonly logins: SpInitiatedLogin,
    private readonly cookies: AuthCookies,
    private readonly targets: ReturnTargets,
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
  ): Promise<View | ''> {
    // A page of another site that loads this as an image would push out the pending logins of this browser.
    const { 'sec-fetch-dest': destination = 'document' } = request.headers;
    if (destination !== 'document') throw new ServiceError('CROSS_SITE', { reason: 'no navigation' });
    const options = { returnTo: this.targets.resolve(returnTo), acr, isForced: prompt === 'login' };
    const browser = { samlRequests: cookieValues(request, SAML_REQUEST), session: reply.cookies[SESSION] };
    const { to, cookie } = await this.logins.startSso(this.idps.named(name), options, browser, request);
    this.cookies.setSamlRequest(reply, cookie.value, cookie.maxAge);
    return redirectOrPost(reply, to, this.contextPath);
  }
}
