import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Accounts } from '../account/accounts.service.js';
import { RequestAuthenticator } from '../auth/guards/request-authenticator.service.js';
import { AuthCookies, SESSION } from '../auth/cookies.js';
import { RESUME_PAGE, secondFactorPage, SIGN_IN_PAGE, SIGN_OUT_PATH } from '../auth/page-paths.js';
import { ServiceError } from '../errors/service-error.js';
import { Public, SignInRoute } from '../principal/access.decorator.js';
import { hasOtp } from '../principal/amr.js';
import type { FullPrincipal, Principal } from '../principal/principal.js';
import { forwardByPage } from '../saml/login/forwarding-page.js';
import { Idps } from '../saml/idp/idps.service.js';
import { SpInitiatedLogout } from '../saml/logout/sp-initiated-logout.service.js';
import { FormBody, ErrorPages, ApiTag, Operation } from '../web/route.decorator.js';
import { Res, type Reply } from '../web/cookies.js';
import type { HttpRequest } from '../web/http-request.js';
import { ServletProperties } from '../http/server.properties.js';
import { callerBinding } from './form-binding.js';
import { FormTokens } from './form-tokens.service.js';
import type { FormFields } from './forms.js';
import { signOutForm } from './forms.schema.js';
import { RESUME, SHOW_START, SIGN_OUT } from './portal.openapi.js';
import { Page } from './page.decorator.js';
import { startPage, type Visit } from './start-page.js';

/** The start page, and the sign-out for every kind of session. */
@Public()
@ApiTag('Pages', 'For people, in HTML.')
@Controller()
export class StartController {
  private readonly contextPath: string;

  constructor(
    private readonly authentication: RequestAuthenticator,
    private readonly accounts: Accounts,
    private readonly idps: Idps,
    private readonly ownLogouts: SpInitiatedLogout,
    private readonly cookies: AuthCookies,
    private readonly tokens: FormTokens,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  @Get()
  @Page()
  @Operation(SHOW_START)
  async show(@Res() reply: Reply): Promise<string> {
    return startPage(await this.visitOf(await this.authentication.visitor(reply.cookies[SESSION])));
  }

  /** Target after "Back" to an identity provider, whose second response is rejected: the browser is signed in already. */
  @Get(RESUME_PAGE)
  @HttpCode(204)
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(RESUME)
  async resume(@Res() reply: Reply): Promise<void> {
    const visitor = await this.authentication.visitor(reply.cookies[SESSION]);
    if (visitor?.kind === 'full') reply.seeOther(`${this.contextPath}/`);
  }

  /** A repeated form, or one whose session has ended, has no effect and is no error. */
  @SignInRoute()
  @Post(SIGN_OUT_PATH)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(SIGN_OUT)
  async signOut(
    @Body({ schema: signOutForm }) { csrf }: InferOutput<typeof signOutForm>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<string> {
    const secret = reply.cookies[SESSION];
    const visitor = await this.authentication.visitor(secret);
    if (visitor && !this.tokens.isValid(csrf, callerBinding(visitor))) {
      throw new ServiceError('CROSS_SITE', { reason: 'form token' });
    }
    const to = visitor && (await this.ownLogouts.logOutSession(secret, request));
    this.cookies.clearAll(reply);
    if (to) return forwardByPage(reply, to, this.contextPath);
    reply.seeOther(`${this.contextPath}${SIGN_IN_PAGE}`);
    return '';
  }

  private async visitOf(visitor: Principal | undefined): Promise<Visit> {
    const { contextPath } = this;
    const account = visitor && (await this.accounts.find(visitor.subject));
    if (!visitor || !account) return { kind: 'stranger', contextPath };
    const signOut = this.signOutForm(visitor);
    if (visitor.kind === 'full') return { kind: 'full', loginId: account.loginId, how: this.howOf(visitor), signOut };
    const next = secondFactorPage(contextPath, account.totpId === undefined ? 'enrol' : 'verify', `${contextPath}/`);
    return { kind: 'half', next, signOut };
  }

  private howOf({ idp, amr, mfaMethod }: FullPrincipal): string {
    if (idp !== undefined) {
      const { displayName } = this.idps.list().find(({ name }) => name === idp) ?? { displayName: idp };
      return `through ${displayName}${hasOtp(amr) ? ', with a second factor' : ''}`;
    }
    if (!hasOtp(amr)) return 'with your password';
    return `with your password and a ${mfaMethod === 'backup_code' ? 'backup code' : 'one-time code'}`;
  }

  private signOutForm(visitor: Principal): FormFields {
    return {
      action: `${this.contextPath}${SIGN_OUT_PATH}`,
      csrf: this.tokens.issue(callerBinding(visitor)),
      returnTo: `${this.contextPath}/`,
    };
  }
}
