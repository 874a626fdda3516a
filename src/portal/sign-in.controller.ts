import { Body, Controller, Get, Post, Query, Req, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { PasswordProperties } from '../account/account.properties.js';
import { secondFactorPage, SIGN_IN_PAGE } from '../auth/page-paths.js';
import { PortalLogin } from '../auth/login/portal-login.service.js';
import type { Html } from '../encoding/html.js';
import type { ErrorCode } from '../errors/error-code.js';
import type { ServiceError } from '../errors/service-error.js';
import { Public, SignInRoute } from '../principal/access.decorator.js';
import { Res, type Reply } from '../web/cookies.js';
import type { HttpRequest } from '../web/http-request.js';
import { ApiTag, HashesPassword, Operation } from '../web/route.decorator.js';
import { rerenderOnError } from './form-errors.js';
import { FormTokenGuard } from './form-token.guard.js';
import { signInForm, signInQuery } from './forms.schema.js';
import { isChangeDone, newPasswordText } from './new-password-text.js';
import { Page, SendsOn } from './page.decorator.js';
import { PageForms } from './page-forms.service.js';
import { SHOW_SIGN_IN, SIGN_IN } from './portal.openapi.js';
import { SignInForms } from './sign-in-forms.service.js';
import { signInPage } from './sign-in-page.js';
import { Visitors } from './visitors.service.js';

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
  constructor(
    private readonly login: PortalLogin,
    private readonly visitors: Visitors,
    private readonly forms: PageForms,
    private readonly signInForms: SignInForms,
    private readonly passwords: PasswordProperties,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_SIGN_IN)
  async show(
    @Query({ schema: signInQuery }) query: InferOutput<typeof signInQuery>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<string> {
    if (query.again === undefined && (await this.visitors.findSignedIn(reply))) {
      reply.seeOther(this.forms.returnPath(query.return_to));
      return '';
    }
    return signInPage(this.signInForms.create(query, request, reply));
  }

  @Post()
  @SendsOn()
  @HashesPassword()
  @Operation(SIGN_IN)
  async signIn(
    @Body({ schema: signInForm }) { id, pw, new_pw: newPw, ...query }: InferOutput<typeof signInForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const fields = this.signInForms.createAgain(query, reply);
    const { contextPath, returnTo } = fields;
    const again = (alert: Html, error: ServiceError): string =>
      signInPage({ ...fields, id, alert, isChange: newPw !== undefined && !isChangeDone(error) });
    const change = (alert: Html): string => signInPage({ ...fields, id, alert, isChange: true });
    const textOf = (error: ServiceError): string | undefined => newPasswordText(error, this.passwords.minLength);
    const next = await rerenderOnError(CHANGE, change, () =>
      rerenderOnError(
        TOLD,
        again,
        async () => {
          // The form was sent before, as after "Back" in the browser. Another username starts a new session.
          if (query.again === undefined && (await this.visitors.isSignedInAs(id, reply))) return 'none';
          return (await this.login.signIn({ id, pw, newPw }, reply)).next;
        },
        textOf,
      ),
    );
    return { url: next === 'none' ? returnTo : secondFactorPage(contextPath, next, returnTo) };
  }
}
