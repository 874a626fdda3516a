import { Body, Controller, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { CredentialWriter } from '../../../signin/auth/credential-writer.service.js';
import { OwnEnrolment } from '../../../signin/auth/own/own-enrolment.service.js';
import { EnrolmentConfirmation } from '../../../signin/auth/own/enrolment-confirmation.service.js';
import { SECOND_FACTOR_PAGES, secondFactorPage, withReturnTo } from '../../../signin/auth/page-paths.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { PagePart, View } from '../../../platform/http/page/view.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import type { ShownPendingSecret } from '../../../identity/second-factor/enrolment/pending-secrets.service.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { withForm } from '../form/form-errors.js';
import { FormTokenGuard } from '../form/form-token.guard.js';
import { codeForm, returnToSchema, setupForm, setupQuery } from '../form/forms.schema.js';
import { givenTotp } from '../form/given-code.js';
import { PageForms } from '../form/page-forms.service.js';
import { Page, type PageResult } from '../page.decorator.js';
import { BEGIN_SETUP, CONFIRM, SHOW_CONFIRM, SHOW_SETUP } from '../portal.openapi.js';
import { CodePages } from './code-pages.service.js';
import { ReauthenticationLinks } from './reauthentication-links.service.js';
import { SetupChoices } from './setup-choices.service.js';
import { codesPage, confirmPage, secretPage } from './setup-pages.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

const { enrol: SETUP_PATH, confirm: CONFIRM_PATH } = SECOND_FACTOR_PAGES;
/** Errors after which nothing of the secret is shown, but the form for its code. */
const HIDING: ReadonlySet<ErrorCode> = new Set(['STEP_UP_REQUIRED', 'MFA_LOCKED', 'MFA_STATE_CONFLICT']);

type ReturnTo = InferOutput<typeof returnToSchema>;

/** Pages of enrolment: the choice of an authenticator, and the setup of an app, which needs no script (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@UseGuards(FormTokenGuard)
@ApiTag('Pages')
@RateLimited('second-factor')
@Controller()
export class SetupPagesController {
  constructor(
    private readonly ownEnrolment: OwnEnrolment,
    private readonly confirmation: EnrolmentConfirmation,
    private readonly credentials: CredentialWriter,
    private readonly forms: PageForms,
    private readonly pages: CodePages,
    private readonly links: ReauthenticationLinks,
    private readonly choices: SetupChoices,
  ) {}

  @Get(SETUP_PATH)
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
    const pending = choose === undefined ? await this.ownEnrolment.pending(caller) : undefined;
    return pending?.isOwn === true ? this.pendingPage(caller, returnTo) : this.choices.page(caller, returnTo);
  }

  @Post(SETUP_PATH)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(BEGIN_SETUP)
  async begin(
    @Caller() caller: Principal,
    @Body({ schema: setupForm }) { replaces, return_to: returnTo }: InferOutput<typeof setupForm>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const pending = await this.ownEnrolment.pending(caller);
    if (pending && !pending.isOwn && replaces !== String(pending.until)) {
      throw await withForm(new ServiceError('MFA_STATE_CONFLICT', { reason: 'a secret is pending' }), (alert) =>
        this.choices.page(caller, returnTo, alert),
      );
    }
    // A repeated form, as after a reload, keeps the secret, which the user's app may already have.
    await this.links.offeringProof(caller, this.forms.returnTarget(returnTo), () =>
      this.ownEnrolment.setupOrResume(caller),
    );
    reply.seeOther(withReturnTo(this.forms.contextPath + SETUP_PATH, this.forms.returnTarget(returnTo)));
    return '';
  }

  @Get(CONFIRM_PATH)
  @Page()
  @Operation(SHOW_CONFIRM)
  showConfirm(@Query({ schema: returnToSchema }) { return_to: returnTo }: ReturnTo, @Res() reply: Reply): PageResult {
    reply.seeOther(withReturnTo(this.forms.contextPath + SETUP_PATH, this.forms.returnTarget(returnTo)));
    return '';
  }

  @Post(CONFIRM_PATH)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(CONFIRM)
  async confirm(
    @Caller() caller: Principal,
    @Body({ schema: codeForm }) { code, return_to: asked }: InferOutput<typeof codeForm>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const returnTo = this.forms.returnTarget(asked);
    const { opened, roles, loginId, backupCodes } = await this.links.offeringProof(caller, returnTo, () =>
      this.pages.showingErrors(
        caller,
        { returnTo, texts: { MFA_CODE_INVALID: ({ setup }) => setup.wrongCode } },
        (alert) => this.pendingPage(caller, asked, alert),
        () => this.confirmation.confirm(caller, givenTotp(code), { cookies: reply.cookies, withNewCodes: true }),
      ),
    );
    await this.credentials.write(reply, opened, roles, 'session');
    if (backupCodes) return codesPage({ loginId, backupCodes, isSetup: true, next: returnTo });
    // A further app: the backup codes stay.
    reply.seeOther(returnTo);
    return '';
  }

  /** Shows the pending secret again, or only the form for its code if the login is too old to see the secret. */
  private async pendingPage(caller: Principal, returnTo: string | undefined, alert?: PagePart): Promise<View> {
    const fields = this.choices.fields(CONFIRM_PATH, caller, returnTo, alert);
    const shown = await this.shown(caller);
    if (!shown) return confirmPage(fields);
    const choice = await this.choices.pathBesideApp(caller, returnTo);
    return secretPage(fields, { ...shown, choice, hasCodes: shown.askedFor !== 'add' });
  }

  /** Undefined for a login that is too old to see the secret, and for an ended one. */
  private async shown(caller: Principal): Promise<ShownPendingSecret | undefined> {
    try {
      return await this.ownEnrolment.shown(caller);
    } catch (error) {
      if (error instanceof ServiceError && HIDING.has(error.code)) return undefined;
      throw error;
    }
  }
}
