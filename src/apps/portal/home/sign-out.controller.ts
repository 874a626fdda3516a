import { Body, Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { AuthCookies, SESSION } from '../../../signin/auth/cookies.js';
import { SIGN_IN_PAGE, SIGN_OUT_PATH, withReturnTo } from '../../../signin/auth/page-paths.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import { forwardByPage } from '../../../signin/saml/login/forwarding-page.js';
import { SpInitiatedLogout } from '../../../signin/saml/logout/sp-initiated-logout.service.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { ApiTag, FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { returnToSchema, signOutForm } from '../form/forms.schema.js';
import { PageForms } from '../form/page-forms.service.js';
import { Page, type PageResult } from '../page.decorator.js';
import { ASK_SIGN_OUT, SIGN_OUT } from '../portal.openapi.js';
import { signOutPage } from './sign-out-page.js';
import { Visitors } from './visitors.service.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** The sign-out for every kind of session. */
@Public()
@ApiTag('Pages')
@RateLimited('self-service')
@Controller(SIGN_OUT_PATH)
export class SignOutController {
  constructor(
    private readonly visitors: Visitors,
    private readonly forms: PageForms,
    private readonly ownLogouts: SpInitiatedLogout,
    private readonly cookies: AuthCookies,
    private readonly sessions: Sessions,
  ) {}

  /** Asks a user whom an application wants to sign out; a visitor without a session goes on. */
  @Get()
  @Page()
  @Operation(ASK_SIGN_OUT)
  async ask(
    @Query({ schema: returnToSchema }) { return_to: requested }: InferOutput<typeof returnToSchema>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const visitor = await this.visitors.find(reply);
    if (visitor) {
      const { contextPath } = this.forms;
      const isKept = await this.isKept(reply);
      return signOutPage(this.forms.forCaller(SIGN_OUT_PATH, visitor, requested), { contextPath, isKept });
    }
    reply.seeOther(this.targetOf(requested));
    return '';
  }

  /** Ends the session. A repeated form, or the form of an ended session, has no effect and is not an error. */
  @SignInRoute()
  @Post()
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(SIGN_OUT)
  async signOut(
    @Body({ schema: signOutForm }) { csrf, return_to: requested }: InferOutput<typeof signOutForm>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const { contextPath } = this.forms;
    const visitor = await this.visitors.find(reply);
    if (visitor && !this.forms.isFrom(visitor, csrf)) throw new ServiceError('CROSS_SITE', { reason: 'form token' });
    const isKept = visitor !== undefined && (await this.isKept(reply));
    const target = visitor?.kind === 'half' ? this.signInFor(requested) : this.targetOf(requested, isKept);
    const to = visitor && (await this.ownLogouts.logOutSession(reply.cookies[SESSION], request, target));
    this.cookies.clearAll(reply);
    if (to) return forwardByPage(reply, to, contextPath);
    reply.seeOther(target);
    return '';
  }

  /** The user of an unfinished sign-in wants to sign in otherwise. */
  private signInFor(requested: string | undefined): string {
    const { contextPath } = this.forms;
    const target = this.forms.returnTarget(requested);
    const page = contextPath + SIGN_IN_PAGE;
    return target === `${contextPath}/` ? page : withReturnTo(page, target);
  }

  /** The sign-in page, unless an application has begun the sign-out. */
  private targetOf(requested: string | undefined, isKept = false): string {
    const { contextPath } = this.forms;
    const target = this.forms.returnTarget(requested);
    return target === `${contextPath}/` ? `${contextPath}${SIGN_IN_PAGE}${isKept ? '?kept=true' : ''}` : target;
  }

  /** True for a browser whose user chose to stay signed in. */
  private async isKept({ cookies }: Reply): Promise<boolean> {
    const session = await this.sessions.findBySecret(cookies[SESSION] ?? '');
    return session?.kind === 'kept' && session.halfSecurityStamp === undefined;
  }
}
