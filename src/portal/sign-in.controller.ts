import { Body, Controller, Get, Post, Query, Req, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Accounts } from '../account/accounts.service.js';
import { PasswordProperties } from '../account/account.properties.js';
import { RequestAuthenticator } from '../auth/guards/request-authenticator.service.js';
import { AuthCookies, SESSION, SIGN_IN_FORM } from '../auth/cookies.js';
import { secondFactorPage, SIGN_IN_PAGE } from '../auth/page-paths.js';
import { PortalLogin } from '../auth/portal-login.service.js';
import type { ErrorCode } from '../errors/error-code.js';
import type { ServiceError } from '../errors/service-error.js';
import { Public, SignInRoute } from '../principal/access.decorator.js';
import type { FullPrincipal } from '../principal/principal.js';
import { Random } from '../random/random.js';
import { Idps } from '../saml/idp/idps.service.js';
import { Res, type Reply } from '../web/cookies.js';
import type { Html } from '../encoding/html.js';
import { ApiTag, Operation } from '../web/route.decorator.js';
import { safeReturnPath } from '../web/return-to.js';
import { PublicUrlProperties, ServletProperties } from '../http/server.properties.js';
import type { HttpRequest } from '../web/http-request.js';
import { httpsAlert } from './https-page.js';
import { PlainHttpWarning } from './plain-http-warning.service.js';
import { rerenderOnError } from './form-errors.js';
import { browserBinding } from './form-binding.js';
import { FormTokenGuard } from './form-token.guard.js';
import { FormTokens } from './form-tokens.service.js';
import { signInForm, signInQuery } from './forms.schema.js';
import { isChangeDone, newPasswordText } from './new-password-text.js';
import { SHOW_SIGN_IN, SIGN_IN } from './portal.openapi.js';
import { Page, SendsOn } from './page.decorator.js';
import { type SignInFields, signInPage } from './sign-in-page.js';

const BROWSER_BYTES = 32;
const BROWSER = /^[\w-]{43}$/;
/** Errors that the form itself shows. */
const TOLD: ReadonlySet<ErrorCode> = new Set(['INVALID_CREDENTIALS', 'RATE_LIMITED', 'VALIDATION_FAILED']);
/** Error after which the form also asks for a new password. */
const CHANGE: ReadonlySet<ErrorCode> = new Set(['PASSWORD_CHANGE_REQUIRED']);

/** The page to sign in, without script (http-api section 5). */
@Public()
@SignInRoute()
@UseGuards(FormTokenGuard)
@ApiTag('Pages')
@Controller(SIGN_IN_PAGE)
export class SignInController {
  private readonly contextPath: string;

  constructor(
    private readonly entry: PortalLogin,
    private readonly authentication: RequestAuthenticator,
    private readonly accounts: Accounts,
    private readonly tokens: FormTokens,
    private readonly cookies: AuthCookies,
    private readonly random: Random,
    private readonly idps: Idps,
    private readonly watch: PlainHttpWarning,
    private readonly publicUrl: PublicUrlProperties,
    private readonly passwords: PasswordProperties,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  @Get()
  @Page()
  @Operation(SHOW_SIGN_IN)
  async show(
    @Query({ schema: signInQuery }) wish: InferOutput<typeof signInQuery>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<string> {
    if (wish.again === undefined && (await this.signedIn(reply))) {
      reply.seeOther(safeReturnPath(wish.return_to, this.contextPath));
      return '';
    }
    // A browser that sent the cookie keeps cookies.
    const isLost = reply.cookies[SIGN_IN_FORM] === undefined && this.watch.isCookieLost(request);
    const facts = this.facts(this.browserOf(reply), wish);
    return signInPage({ ...facts, ...(isLost && { alert: httpsAlert(this.publicUrl.publicUrl) }) });
  }

  @Post()
  @SendsOn()
  @Operation(SIGN_IN)
  async signIn(
    @Body({ schema: signInForm }) { id, pw, new_pw: newPw, ...wish }: InferOutput<typeof signInForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const facts = this.facts(reply.cookies[SIGN_IN_FORM] ?? '', wish);
    if (wish.again === undefined && (await this.isSignedInAs(id, reply))) return { url: facts.returnTo };
    const again = (alert: Html, error: ServiceError): string =>
      signInPage({ ...facts, id, alert, isChange: newPw !== undefined && !isChangeDone(error) });
    const change = (alert: Html): string => signInPage({ ...facts, id, alert, isChange: true });
    const tell = (error: ServiceError): string | undefined => newPasswordText(error, this.passwords.minLength);
    const { next } = await rerenderOnError(CHANGE, change, () =>
      rerenderOnError(TOLD, again, () => this.entry.signIn({ id, pw, newPw }, reply), tell),
    );
    const { returnTo } = facts;
    return { url: next === 'none' ? returnTo : secondFactorPage(this.contextPath, next, returnTo) };
  }

  /** The user of the live full session of this browser. */
  private async signedIn(reply: Reply): Promise<FullPrincipal | undefined> {
    const visitor = await this.authentication.visitor(reply.cookies[SESSION]);
    return visitor?.kind === 'full' ? visitor : undefined;
  }

  /** True if the form was sent before, as after "Back" in the browser. Another username starts a new session. */
  private async isSignedInAs(id: string, reply: Reply): Promise<boolean> {
    const user = await this.signedIn(reply);
    const account = user && (await this.accounts.find(user.subject));
    return account?.loginId === this.accounts.normalise(id);
  }

  private facts(browser: string, { return_to: returnTo, again }: InferOutput<typeof signInQuery>): SignInFields {
    const { contextPath } = this;
    return {
      contextPath,
      action: `${contextPath}${SIGN_IN_PAGE}`,
      csrf: this.tokens.issue(browserBinding(browser)),
      returnTo: safeReturnPath(returnTo, contextPath),
      idps: this.idps.list(),
      ...(again !== undefined && { again }),
    };
  }

  /** The value of the cookie that binds the form to its browser; sets the cookie if it is missing. */
  private browserOf(reply: Reply): string {
    const known = reply.cookies[SIGN_IN_FORM];
    if (known !== undefined && BROWSER.test(known)) return known;
    const made = this.random.text(BROWSER_BYTES);
    this.cookies.setSignInForm(reply, made);
    return made;
  }
}
