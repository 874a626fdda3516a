import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { OwnEnrolment } from '../../../signin/auth/own/own-enrolment.service.js';
import { SECOND_FACTOR_PAGES, secondFactorPage, withReturnTo } from '../../../signin/auth/page-paths.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { Messages } from '../../../signin/messages/messages.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { accessCodeIn } from '../form/code-field.js';
import { withForm } from '../form/form-errors.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { setupForm, setupQuery } from '../form/forms.schema.js';
import { PageForms } from '../form/page-forms.service.js';
import { Page, type PageResult } from '../page.decorator.js';
import { BEGIN_SETUP, SHOW_SETUP } from '../portal.openapi.js';
import { SetupPages } from './setup-pages.service.js';
import { SetupSteps } from './setup-steps.service.js';

const { enrol: SETUP_PATH } = SECOND_FACTOR_PAGES;
/** The first pages of enrolment: the choice of an authenticator, and the secret of an app, which needs no script (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@FormPages('second-factor')
@Controller(SETUP_PATH)
export class SetupPagesController {
  constructor(
    private readonly ownEnrolment: OwnEnrolment,
    private readonly forms: PageForms,
    private readonly pages: SetupPages,
    private readonly steps: SetupSteps,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_SETUP)
  async showSetup(
    @Caller() caller: Principal,
    @Query({ schema: setupQuery }) { return_to: returnTo, choose }: InferOutput<typeof setupQuery>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    if (caller.kind === 'half' && !(await this.pages.mustEnrol(caller))) {
      reply.seeOther(secondFactorPage(this.forms.contextPath, 'verify', this.forms.returnTarget(returnTo)));
      return '';
    }
    if (await this.ownEnrolment.lacksAccessCode(caller)) return this.pages.accessCodePage(caller, returnTo);
    const pending = choose === undefined ? await this.ownEnrolment.pending(caller) : undefined;
    return pending?.isOwn === true ? this.pages.pendingPage(caller, returnTo) : this.pages.page(caller, returnTo);
  }

  @Post()
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(BEGIN_SETUP)
  async begin(
    @Caller() caller: Principal,
    @Body({ schema: setupForm }) form: InferOutput<typeof setupForm>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const { replaces, return_to: returnTo, access_code: accessCode } = form;
    if (accessCode !== undefined) return this.useAccessCode(caller, accessCode, returnTo, reply);
    const pending = await this.ownEnrolment.pending(caller);
    if (pending && !pending.isOwn && replaces !== String(pending.until)) {
      throw await withForm(new ServiceError('MFA_STATE_CONFLICT', { reason: 'a secret is pending' }), (alert) =>
        this.pages.page(caller, returnTo, alert),
      );
    }
    // A repeated form, for example after a reload, keeps the secret, which the app of the user may already have.
    await this.steps.offeringProof(caller, this.forms.returnTarget(returnTo), () =>
      this.ownEnrolment.setupOrResume(caller),
    );
    return this.toSetup(returnTo, reply);
  }

  private async useAccessCode(
    caller: Principal,
    typed: string,
    returnTo: string | undefined,
    reply: Reply,
  ): Promise<PageResult> {
    const wrong = ({ setup }: Messages): string => setup.wrongAccessCode;
    await this.steps.showingErrors(
      caller,
      {
        returnTo: this.forms.returnTarget(returnTo),
        texts: { MFA_CODE_INVALID: wrong, VALIDATION_FAILED: wrong },
      },
      (alert) => this.pages.accessCodePage(caller, returnTo, alert),
      () => this.ownEnrolment.useAccessCode(caller, accessCodeIn(typed)),
    );
    return this.toSetup(returnTo, reply);
  }

  private toSetup(returnTo: string | undefined, reply: Reply): PageResult {
    reply.seeOther(withReturnTo(this.forms.contextPath + SETUP_PATH, this.forms.returnTarget(returnTo)));
    return '';
  }
}
