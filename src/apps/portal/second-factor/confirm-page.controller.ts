import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import type { Session } from '../../../identity/session/session.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { CredentialWriter } from '../../../signin/auth/credential-writer.service.js';
import { EnrolmentConfirmation } from '../../../signin/auth/own/enrolment-confirmation.service.js';
import { SECOND_FACTOR_PAGES, withReturnTo } from '../../../signin/auth/page-paths.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { codeForm, returnToSchema } from '../form/forms.schema.js';
import { totpIn } from '../form/code-field.js';
import { PageForms } from '../form/page-forms.service.js';
import { Page, type PageResult } from '../page.decorator.js';
import { CONFIRM, SHOW_CONFIRM } from '../portal.openapi.js';
import { SetupPages } from './setup-pages.service.js';
import { SetupSteps } from './setup-steps.service.js';

const { enrol: SETUP_PATH, confirm: CONFIRM_PATH } = SECOND_FACTOR_PAGES;

type ReturnTo = InferOutput<typeof returnToSchema>;

/** The last page of the setup of an app: the first code from it ends the setup (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@FormPages('second-factor')
@Controller(CONFIRM_PATH)
export class ConfirmPageController {
  constructor(
    private readonly confirmation: EnrolmentConfirmation,
    private readonly credentials: CredentialWriter,
    private readonly forms: PageForms,
    private readonly pages: SetupPages,
    private readonly steps: SetupSteps,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_CONFIRM)
  showConfirm(@Query({ schema: returnToSchema }) { return_to: returnTo }: ReturnTo, @Res() reply: Reply): PageResult {
    reply.seeOther(withReturnTo(this.forms.contextPath + SETUP_PATH, this.forms.returnTarget(returnTo)));
    return '';
  }

  @Post()
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(CONFIRM)
  async confirm(
    @Caller() caller: Principal,
    @Body({ schema: codeForm }) { code, return_to: requested }: InferOutput<typeof codeForm>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const returnTo = this.forms.returnTarget(requested);
    const { opened, roles, backupCodes } = await this.steps.showingErrors(
      caller,
      {
        returnTo,
        texts: {
          MFA_CODE_INVALID: ({ setup }) => setup.wrongCode,
          VALIDATION_FAILED: ({ verify }) => verify.malformedTotp,
        },
      },
      (alert) => this.pages.pendingPage(caller, requested, alert),
      () => this.confirmation.confirm(caller, totpIn(code), { cookies: reply.cookies, withNewCodes: true }),
    );
    await this.credentials.write(reply, opened, roles, 'session');
    // The setup of another app keeps the backup codes.
    reply.seeOther(backupCodes ? await this.codesUrl(opened.session, backupCodes, returnTo) : returnTo);
    return '';
  }

  private codesUrl(
    { id, subject }: Pick<Session, 'id' | 'subject'>,
    codes: readonly string[],
    returnTo: string,
  ): Promise<string> {
    return this.pages.codesUrl({ subject, requestedBy: `sid:${id}` }, { codes, occasion: 'app' }, returnTo);
  }
}
