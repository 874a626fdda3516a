import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
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
import { FormPages } from '../form/form-pages.decorator.js';
import { PageForms } from '../form/page-forms.service.js';
import { Page } from '../page.decorator.js';
import { FORGOT_BY_FORM, SHOW_FORGOT } from './recovery-pages.openapi.js';
import { forgotForm } from './recovery-pages.schema.js';
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
  showForgot(@Res() reply: Reply): View {
    this.requireMail();
    return forgotPage(this.forms.forVisitor(RECOVERY_PAGES.forgot, reply));
  }

  @Post(RECOVERY_PAGES.forgot)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(FORGOT_BY_FORM)
  async forgot(
    @Body({ schema: forgotForm }) { id }: InferOutput<typeof forgotForm>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<View> {
    this.requireMail();
    const again = this.forms.forVisitor(RECOVERY_PAGES.forgot, reply);
    await rerenderOnError(
      TOLD,
      (alert) => forgotPage({ ...again, alert }),
      () => this.requests.add(id, requestedLanguage(request.headers, LANGUAGES) ?? this.messages.defaultLanguage),
    );
    return forgotSentPage();
  }

  /** Rejects the page if no relay is configured, because it would promise a mail that never arrives. */
  private requireMail(): void {
    if (!this.pages.canMail) throw new ServiceError('NOT_FOUND', { reason: 'no mail relay' });
  }
}
