import { Body, Controller, Get, Post, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { PasswordProperties } from '../../../identity/account/account.properties.js';
import { CredentialWriter } from '../../../signin/auth/credential-writer.service.js';
import { OwnPassword } from '../../../signin/auth/own/own-password.service.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { ACCOUNT_PAGES, CHANGE_PASSWORD_PATH } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import type { PagePart, View } from '../../../platform/http/page/view.js';
import type { Messages } from '../../../platform/messages/messages.js';
import { Caller, Public } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { OpenedSession } from '../../../identity/session/sessions.service.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, Operation } from '../../../platform/web/route.decorator.js';
import { rerenderOnError } from '../form/form-errors.js';
import { FormTokenGuard } from '../form/form-token.guard.js';
import { AccountPage, Page, type PageResult, SendsOn } from '../page.decorator.js';
import { CHANGE_PASSWORD, FIND_PASSWORD_PAGE, SHOW_PASSWORD } from '../portal.openapi.js';
import { newPasswordText } from '../sign-in/new-password-text.js';
import { passwordPage } from './account-forms.js';
import { AccountForms, formErrorText } from './account-forms.service.js';
import { accountNotePage } from './account-page.js';
import { passwordForm } from './account.schema.js';
import { InlineStepUp } from './inline-step-up.service.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

const TOLD: ReadonlySet<ErrorCode> = new Set([
  ...(['INVALID_CREDENTIALS', 'MFA_CODE_INVALID', 'MFA_LOCKED', 'RATE_LIMITED', 'STEP_UP_REQUIRED'] as const),
  ...(['VALIDATION_FAILED', 'CONFLICT'] as const),
]);

/** The page to change the own password. */
@UseGuards(FormTokenGuard)
@ApiTag('Pages')
@RateLimited('self-service')
@Controller()
export class PasswordPageController {
  constructor(
    private readonly ownPassword: OwnPassword,
    private readonly reauthentication: Reauthentication,
    private readonly stepUp: InlineStepUp,
    private readonly credentials: CredentialWriter,
    private readonly forms: AccountForms,
    private readonly passwords: PasswordProperties,
  ) {}

  @Get(ACCOUNT_PAGES.password)
  @AccountPage()
  @Operation(SHOW_PASSWORD)
  async show(@Caller() caller: FullPrincipal): Promise<View> {
    const { hasPassword } = await this.reauthentication.accountOf(caller);
    if (hasPassword) return this.page(caller);
    const text = ({ passwordChange }: Messages): string => passwordChange.staff;
    return accountNotePage(this.forms.navigationFor(caller), ({ passwordChange }) => passwordChange.title, text);
  }

  @Post(ACCOUNT_PAGES.password)
  @SendsOn()
  @Operation(CHANGE_PASSWORD)
  async change(
    @Caller() caller: FullPrincipal,
    @Body({ schema: passwordForm }) { current, new: next, ...confirmation }: InferOutput<typeof passwordForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const change = async (): Promise<OpenedSession | undefined> => {
      const proof = (await this.stepUp.isNeeded(caller))
        ? await this.stepUp.submitted(caller, confirmation)
        : undefined;
      return this.ownPassword.change(caller, { current, new: next }, proof);
    };
    const renewed = await rerenderOnError(
      TOLD,
      async (alert) => (await this.lock(caller)) ?? this.page(caller, alert),
      change,
      (error) => this.textOf(error),
    );
    if (renewed) this.credentials.writeCookies(reply, renewed);
    return this.forms.overviewAfter('password');
  }

  /** Where password managers look for the page (W3C, "A Well-Known URL for Changing Passwords"). */
  @Public()
  @Get(CHANGE_PASSWORD_PATH)
  @Page()
  @Operation(FIND_PASSWORD_PAGE)
  find(@Res() reply: Reply): PageResult {
    reply.seeOther(this.forms.urlOf(ACCOUNT_PAGES.password));
    return '';
  }

  /** A caller who need not prove the second factor can change the password of a locked account. */
  private async lock(caller: FullPrincipal): Promise<View | undefined> {
    return (await this.stepUp.isNeeded(caller)) ? this.forms.lock(caller, ACCOUNT_PAGES.password) : undefined;
  }

  private async page(caller: FullPrincipal, alert?: PagePart): Promise<View> {
    const account = await this.reauthentication.accountOf(caller);
    const fields = await this.forms.fields(caller, ACCOUNT_PAGES.password, withoutUndefined({ alert }));
    return passwordPage(fields, account.loginId, this.passwords.minLength);
  }

  private textOf(error: ServiceError): ((t: Messages) => string) | undefined {
    if (error.code === 'INVALID_CREDENTIALS') return ({ passwordChange }) => passwordChange.wrongCurrent;
    return newPasswordText(error, this.passwords.minLength, 'new') ?? formErrorText(error);
  }
}
