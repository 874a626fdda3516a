import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { secondFactorPage, SIGN_IN_PAGE } from '../../../signin/auth/page-paths.js';
import { PortalLogin } from '../../../signin/auth/login/portal-login.service.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import { Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { HashesPassword, Operation } from '../../../platform/web/route.decorator.js';
import { rerenderOnError } from '../form/form-errors.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { signInForm, signInQuery } from '../form/forms.schema.js';
import { isChangeDone, newPasswordText } from './new-password-text.js';
import { Page, type PageResult, SendsOn } from '../page.decorator.js';
import { PageForms } from '../form/page-forms.service.js';
import { SHOW_SIGN_IN, SIGN_IN } from '../portal.openapi.js';
import { SignInForms } from './sign-in-forms.service.js';
import { SignInLanguage } from './sign-in-language.service.js';
import { signInPage } from './sign-in-page.js';
import { Visitors } from '../home/visitors.service.js';

/** Errors that are shown above the form. */
const FORM_ERRORS: ReadonlySet<ErrorCode> = new Set([
  ...(['INVALID_CREDENTIALS', 'RATE_LIMITED', 'VALIDATION_FAILED', 'PASSKEY_REQUIRED'] as const),
  // The form keeps the username; the browser does not send it again by itself.
  'UNAVAILABLE',
]);
/** Errors after which the form also asks for a new password. */
const CHANGE: ReadonlySet<ErrorCode> = new Set(['PASSWORD_CHANGE_REQUIRED']);

/** The sign-in page, which needs no script (http-api section 5). */
@Public()
@SignInRoute()
@FormPages('sign-in')
@Controller(SIGN_IN_PAGE)
export class SignInController {
  constructor(
    private readonly login: PortalLogin,
    private readonly visitors: Visitors,
    private readonly forms: PageForms,
    private readonly signInForms: SignInForms,
    private readonly language: SignInLanguage,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_SIGN_IN)
  async show(
    @Query({ schema: signInQuery }) query: InferOutput<typeof signInQuery>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const found = query.again === undefined ? await this.visitors.findWithAccount(reply) : undefined;
    if (found?.visitor.kind === 'full') {
      reply.seeOther(this.forms.returnTarget(query.return_to));
      return '';
    }
    const fields = this.signInForms.create(query, request, reply);
    const unfinished = found && this.visitors.unfinished(found, fields.returnTo);
    return signInPage({ ...fields, ...withoutUndefined({ unfinished }) });
  }

  @Post()
  @SendsOn()
  @HashesPassword()
  @Operation(SIGN_IN)
  async signIn(
    @Body({ schema: signInForm }) { id, pw, new_pw: newPw, keep, ...query }: InferOutput<typeof signInForm>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const fields = { ...this.signInForms.createAgain(query, reply), isKept: keep === 'true' };
    const { returnTo, keepDays } = fields;
    const isKept = fields.isKept && keepDays !== undefined;
    const again = (alert: PagePart, error: ServiceError): View =>
      signInPage({ ...fields, id, alert, isChange: newPw !== undefined && !isChangeDone(error) });
    const change = (alert: PagePart): View => signInPage({ ...fields, id, alert, isChange: true });
    const next = await rerenderOnError(CHANGE, change, () =>
      rerenderOnError(
        FORM_ERRORS,
        again,
        async () => {
          // The same form was sent before, for example after "Back". Another username starts a new session.
          if (query.again === undefined && (await this.visitors.isSignedInAs(id, reply))) return 'none';
          const signedIn = await this.login.signIn({ id, pw, newPw }, reply, { isKept });
          await this.language.settle(signedIn.session.subject, signedIn.language, request, reply);
          return signedIn.next;
        },
        (error) => newPasswordText(error, fields.minLength),
      ),
    );
    return { url: next === 'none' ? returnTo : secondFactorPage(this.forms.contextPath, next, returnTo) };
  }
}
