import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { AuthCookies, SESSION } from '../auth/cookies.js';
import { RESUME_PAGE, secondFactorPage, SIGN_IN_PAGE, SIGN_OUT_PATH } from '../auth/page-paths.js';
import { ServiceError } from '../errors/service-error.js';
import { Public, SignInRoute } from '../principal/access.decorator.js';
import { hasOtp } from '../principal/amr.js';
import type { FullPrincipal } from '../principal/principal.js';
import { forwardByPage } from '../saml/login/forwarding-page.js';
import { Idps } from '../saml/idp/idps.service.js';
import { SpInitiatedLogout } from '../saml/logout/sp-initiated-logout.service.js';
import { Res, type Reply } from '../web/cookies.js';
import type { HttpRequest } from '../web/http-request.js';
import { ApiTag, ErrorPages, FormBody, Operation } from '../web/route.decorator.js';
import { signOutForm } from './forms.schema.js';
import { RESUME, SHOW_START, SIGN_OUT } from './portal.openapi.js';
import { Page } from './page.decorator.js';
import { startPage, type Visit } from './start-page.js';
import { PageForms } from './page-forms.service.js';
import { Visitors } from './visitors.service.js';

/** The start page, and the sign-out for every kind of session. */
@Public()
@ApiTag('Pages', 'For users, in HTML.')
@Controller()
export class StartController {
  constructor(
    private readonly visitors: Visitors,
    private readonly forms: PageForms,
    private readonly idps: Idps,
    private readonly ownLogouts: SpInitiatedLogout,
    private readonly cookies: AuthCookies,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_START)
  async show(@Res() reply: Reply): Promise<string> {
    return startPage(await this.visitOf(reply));
  }

  /** Target after "Back" to an identity provider, whose second response is rejected: the browser is signed in already. */
  @Get(RESUME_PAGE)
  @HttpCode(204)
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(RESUME)
  async resume(@Res() reply: Reply): Promise<void> {
    if (await this.visitors.findSignedIn(reply)) reply.seeOther(`${this.forms.contextPath}/`);
  }

  /** A repeated form, or one whose session has ended, has no effect and is not an error. */
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
    const { contextPath } = this.forms;
    const visitor = await this.visitors.find(reply);
    if (visitor && !this.forms.isFrom(visitor, csrf)) throw new ServiceError('CROSS_SITE', { reason: 'form token' });
    const to = visitor && (await this.ownLogouts.logOutSession(reply.cookies[SESSION], request));
    this.cookies.clearAll(reply);
    if (to) return forwardByPage(reply, to, contextPath);
    reply.seeOther(`${contextPath}${SIGN_IN_PAGE}`);
    return '';
  }

  private async visitOf(reply: Reply): Promise<Visit> {
    const { contextPath } = this.forms;
    const found = await this.visitors.findWithAccount(reply);
    if (!found) return { kind: 'stranger', contextPath };
    const { visitor, account } = found;
    const start = `${contextPath}/`;
    const signOut = this.forms.forCaller(SIGN_OUT_PATH, visitor, start);
    if (visitor.kind === 'full') return { kind: 'full', loginId: account.loginId, how: this.howOf(visitor), signOut };
    const next = secondFactorPage(contextPath, account.totpId === undefined ? 'enrol' : 'verify', start);
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
}
