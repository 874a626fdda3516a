import { Body, Controller, Get, Headers, HttpCode, Param, Post, Req } from '@nestjs/common';
import * as v from 'valibot';
import { AuthCookies, SESSION } from '../../auth/cookies.js';
import { SIGN_IN_PAGE } from '../../auth/page-paths.js';
import { Public, SignInRoute, TakesCrossSite } from '../../../kernel/principal/access.decorator.js';
import { FormBody, ErrorPages, ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { type HttpRequest, RawQuery } from '../../../platform/web/http-request.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import type { View } from '../../../platform/http/page/view.js';
import { redirectOrPost } from '../login/forwarding-page.js';
import { LogoutReceiver, type LogoutOutcome } from './logout-receiver.service.js';
import { Idps } from '../idp/idps.service.js';
import { LOG_OUT, LOGOUT_BY_FORM, LOGOUT_BY_QUERY } from '../saml.openapi.js';
import { SpInitiatedLogout } from './sp-initiated-logout.service.js';
import { logoutSchema } from '../saml.schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** Single logout of staff (http-api section 8). */
@Public()
@ApiTag('Staff login')
@RateLimited('sso')
@Controller('saml')
export class SamlLogoutController {
  private readonly contextPath: string;

  constructor(
    private readonly idps: Idps,
    private readonly idpLogouts: LogoutReceiver,
    private readonly ownLogouts: SpInitiatedLogout,
    private readonly cookies: AuthCookies,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  @Get(':idp/slo')
  @TakesCrossSite()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(LOGOUT_BY_QUERY)
  @ResponseSchema(v.string())
  async receiveRedirect(
    @Param('idp') name: string,
    @RawQuery() query: string,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<View | ''> {
    const received = await this.idpLogouts.receive(this.idps.named(name), { query }, reply.cookies[SESSION], request);
    return this.respond(reply, received);
  }

  @Post(':idp/slo')
  @HttpCode(200)
  @TakesCrossSite()
  @FormBody()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation({ ...LOGOUT_BY_FORM, body: logoutSchema })
  @ResponseSchema(v.string())
  async receivePost(
    @Param('idp') name: string,
    @Body() body: unknown,
    @Req() origin: HttpRequest,
    @Res() reply: Reply,
  ): Promise<View | ''> {
    const idp = this.idps.named(name);
    const form = v.safeParse(logoutSchema, body);
    if (!form.success) return this.idpLogouts.reject(idp, 'malformed');
    const { SAMLRequest: request, SAMLResponse: response, RelayState: relayState } = form.output;
    if ((request === undefined) === (response === undefined)) return this.idpLogouts.reject(idp, 'malformed');
    const field = request === undefined ? 'SAMLResponse' : 'SAMLRequest';
    const sent = { field, base64: request ?? response ?? '', relayState } as const;
    return this.respond(reply, await this.idpLogouts.receive(idp, sent, reply.cookies[SESSION], origin));
  }

  @SignInRoute()
  @Post(':idp/logout')
  @HttpCode(200)
  @FormBody()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(LOG_OUT)
  @ResponseSchema(v.string())
  async logOut(
    @Param('idp') name: string,
    @Headers('authorization') authorization: string | undefined,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<View | ''> {
    const credentials = { authorization, session: reply.cookies[SESSION] };
    const to = await this.ownLogouts.logOut(this.idps.named(name), credentials, request);
    return this.respond(reply, { to, isOwnEnded: true });
  }

  private respond(reply: Reply, { to, isOwnEnded, returnTo }: LogoutOutcome): View | '' {
    if (isOwnEnded) this.cookies.clearAll(reply);
    const { contextPath } = this;
    if (!to) {
      reply.seeOther(returnTo ?? `${contextPath}${SIGN_IN_PAGE}`);
      return '';
    }
    return redirectOrPost(reply, to, contextPath);
  }
}
