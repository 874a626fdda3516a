import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { SignInChallenges } from '../../../identity/second-factor/passkey/sign-in-challenges.service.js';
import { Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import type { View } from '../../../platform/http/page/view.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { PortalLogin } from '../../../signin/auth/login/portal-login.service.js';
import { PASSKEY_SIGN_IN_PATH, secondFactorPage, SIGN_IN_PAGE, withReturnTo } from '../../../signin/auth/page-paths.js';
import type { PagePart } from '../../../signin/messages/page.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { Messages } from '../../../signin/messages/messages.js';
import { rerenderOnError } from '../form/form-errors.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { passkeySignInForm, signInQuery } from '../form/forms.schema.js';
import { PageForms } from '../form/page-forms.service.js';
import { assertionIn } from '../form/passkey-field.js';
import { Page, type PageResult, SendsOn } from '../page.decorator.js';
import { SHOW_PASSKEY_SIGN_IN, SIGN_IN_BY_PASSKEY } from '../portal.openapi.js';
import { SignInForms } from './sign-in-forms.service.js';
import { SignInLanguage } from './sign-in-language.service.js';
import { signInPage } from './sign-in-page.js';

/** Texts of the errors that are shown above the form; undefined for that of the catalogue. */
const TEXTS: ReadonlyMap<ErrorCode, ((t: Messages) => string) | undefined> = new Map([
  ['INVALID_CREDENTIALS', ({ signIn }: Messages) => signIn.passkeyRejected],
  ['VALIDATION_FAILED', ({ passkey }: Messages) => passkey.failed],
  ['RATE_LIMITED', undefined],
  ['MFA_LOCKED', undefined],
]);

/** Signs in by a passkey alone, with the form that the script of the sign-in page fills in. */
@Public()
@SignInRoute()
@FormPages('sign-in')
@Controller(PASSKEY_SIGN_IN_PATH)
export class PasskeySignInController {
  constructor(
    private readonly challenges: SignInChallenges,
    private readonly login: PortalLogin,
    private readonly forms: PageForms,
    private readonly signInForms: SignInForms,
    private readonly language: SignInLanguage,
  ) {}

  /** For a browser that opens the address of the form again. */
  @Get()
  @Page()
  @Operation(SHOW_PASSKEY_SIGN_IN)
  show(
    @Query({ schema: signInQuery }) { return_to: requested }: InferOutput<typeof signInQuery>,
    @Res() reply: Reply,
  ): PageResult {
    const { contextPath } = this.forms;
    reply.seeOther(withReturnTo(contextPath + SIGN_IN_PAGE, this.forms.returnTarget(requested)));
    return '';
  }

  @Post()
  @SendsOn()
  @Operation(SIGN_IN_BY_PASSKEY)
  async signIn(
    @Body({ schema: passkeySignInForm }) { credential = '', ...query }: InferOutput<typeof passkeySignInForm>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    this.challenges.requireEnabled();
    const fields = this.signInForms.createAgain(query, reply);
    const { returnTo } = fields;
    const again = (alert: PagePart): View => signInPage({ ...fields, alert, isPasskeyRejected: true });
    const next = await rerenderOnError(
      new Set(TEXTS.keys()),
      again,
      async () => {
        const signedIn = await this.login.signInByPasskey(assertionIn(credential), reply);
        await this.language.settle(signedIn.session.subject, signedIn.language, request, reply);
        return signedIn.next;
      },
      ({ code }) => TEXTS.get(code),
    );
    return { url: next === 'none' ? returnTo : secondFactorPage(this.forms.contextPath, next, returnTo) };
  }
}
