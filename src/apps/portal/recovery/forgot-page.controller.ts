import { Body, Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { RECOVERY_PAGES } from '../../../signin/auth/page-paths.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { requestedLanguage } from '../../../platform/http/page/page-language.js';
import type { View } from '../../../platform/http/page/view.js';
import { LANGUAGES } from '../../../identity/account/language.js';
import { MessagesProperties } from '../../../signin/messages/messages.properties.js';
import { Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import { ResetRequests } from '../../../signin/recovery/reset-requests.task.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { rerenderOnError } from '../form/form-errors.js';
import type { FormFields } from '../form/forms.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { PageForms } from '../form/page-forms.service.js';
import { Page } from '../page.decorator.js';
import { FORGOT_BY_FORM, SHOW_FORGOT } from './recovery-pages.openapi.js';
import { forgotForm, forgotQuery } from './recovery-pages.schema.js';
import { forgotPage, forgotSentPage } from './recovery-pages.js';
import { RecoveryPages } from './recovery-pages.service.js';

const TOLD: ReadonlySet<ErrorCode> = new Set(['VALIDATION_FAILED', 'RATE_LIMITED']);

/** The page that requests a link to choose a new password. */
@Public()
@SignInRoute()
@FormPages('recovery')
@Controller()
export class ForgotPageController {
  constructor(
    private readonly requests: ResetRequests,
    private readonly pages: RecoveryPages,
    private readonly forms: PageForms,
    private readonly messages: MessagesProperties,
  ) {}

  @Get(RECOVERY_PAGES.forgot)
  @Page()
  @Operation(SHOW_FORGOT)
  showForgot(
    @Query({ schema: forgotQuery }) { return_to: returnTo, sent }: InferOutput<typeof forgotQuery>,
    @Res() reply: Reply,
  ): View {
    this.requireMail();
    const fields = this.forms.forVisitor(RECOVERY_PAGES.forgot, reply, returnTo);
    return sent === undefined ? forgotPage(fields) : forgotSentPage(fields);
  }

  @Post(RECOVERY_PAGES.forgot)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(FORGOT_BY_FORM)
  async forgot(
    @Body({ schema: forgotForm }) { id, return_to: returnTo }: InferOutput<typeof forgotForm>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<View> {
    this.requireMail();
    const fields = this.forms.forVisitor(RECOVERY_PAGES.forgot, reply, returnTo);
    const language = requestedLanguage(request.headers, LANGUAGES) ?? this.messages.defaultLanguage;
    await rerenderOnError(
      TOLD,
      (alert) => forgotPage({ ...fields, id, alert }),
      () => this.requests.add(id, { language, ...this.targetOf(fields) }),
    );
    return forgotSentPage(fields);
  }

  /** The home page is where a sign-in leads anyway. */
  private targetOf({ returnTo }: FormFields): { readonly returnTo?: string } {
    return returnTo === this.forms.returnTarget(undefined) ? {} : { returnTo };
  }

  /** Rejects the page if no relay is configured, because it would promise a mail that never arrives. */
  private requireMail(): void {
    if (!this.pages.canMail) throw new ServiceError('NOT_FOUND', { reason: 'no mail relay' });
  }
}
