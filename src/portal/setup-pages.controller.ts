import { Body, Controller, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { CredentialWriter } from '../auth/credential-writer.service.js';
import { OwnEnrolment, type PendingSecret } from '../auth/own/own-enrolment.service.js';
import { OwnSecondFactor } from '../auth/own/own-second-factor.service.js';
import { SECOND_FACTOR_PAGES, withReturnTo } from '../auth/page-paths.js';
import { withoutUndefined } from '../collections/without-undefined.js';
import type { Html } from '../encoding/html.js';
import type { ErrorCode } from '../errors/error-code.js';
import { ServiceError } from '../errors/service-error.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../principal/access.decorator.js';
import type { Principal } from '../principal/principal.js';
import type { ShownSecret } from '../second-factor/enrolment/pending-secrets.service.js';
import { Res, type Reply } from '../web/cookies.js';
import { ApiTag, FormBody, Operation } from '../web/route.decorator.js';
import { CODE_ERRORS, rerenderOnError, withForm } from './form-errors.js';
import { FormTokenGuard } from './form-token.guard.js';
import { codeForm, returnToSchema, setupForm } from './forms.schema.js';
import { Page, SendsOn } from './page.decorator.js';
import { PageForms } from './page-forms.service.js';
import { BEGIN_SETUP, CONFIRM, SHOW_CONFIRM, SHOW_SETUP } from './portal.openapi.js';
import { ReauthenticationLinks } from './reauthentication-links.service.js';
import { confirmPage, proveAgainPage, secretPage, setupPage } from './second-factor-pages.js';

const { enrol: SETUP_PATH, confirm: CONFIRM_PATH } = SECOND_FACTOR_PAGES;
const STALE: ReadonlySet<ErrorCode> = new Set(['STEP_UP_REQUIRED']);

type ReturnTo = InferOutput<typeof returnToSchema>;

/** Enrolment of an authenticator app as pages without script (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@UseGuards(FormTokenGuard)
@ApiTag('Pages')
@Controller()
export class SetupPagesController {
  constructor(
    private readonly ownEnrolment: OwnEnrolment,
    private readonly own: OwnSecondFactor,
    private readonly credentials: CredentialWriter,
    private readonly forms: PageForms,
    private readonly links: ReauthenticationLinks,
  ) {}

  @Get(SETUP_PATH)
  @Page()
  @Operation(SHOW_SETUP)
  async showSetup(
    @Caller() caller: Principal,
    @Query({ schema: returnToSchema }) { return_to: returnTo }: ReturnTo,
  ): Promise<string> {
    const pending = await this.ownEnrolment.pending(caller);
    return pending?.isOwn === true ? this.pendingPage(caller, returnTo) : this.setupPage(caller, returnTo, pending);
  }

  @Post(SETUP_PATH)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(BEGIN_SETUP)
  async begin(
    @Caller() caller: Principal,
    @Body({ schema: setupForm }) { replaces, return_to: returnTo }: InferOutput<typeof setupForm>,
  ): Promise<string> {
    const pending = await this.ownEnrolment.pending(caller);
    if (pending && !pending.isOwn && replaces !== String(pending.until)) {
      throw await withForm(new ServiceError('MFA_STATE_CONFLICT', { reason: 'a secret is pending' }), (alert) =>
        this.setupPage(caller, returnTo, pending, alert),
      );
    }
    const link = await this.links.beforeSetup(caller, this.forms.returnPath(returnTo));
    const again = (alert: Html): string => proveAgainPage(alert, link);
    // A repeated form, as after a reload, shows the same secret, which the user's app may already have.
    const setup = await rerenderOnError(STALE, again, () => this.ownEnrolment.setupOrResume(caller));
    return secretPage(this.forms.forCaller(CONFIRM_PATH, caller, returnTo), setup);
  }

  @Get(CONFIRM_PATH)
  @Page()
  @Operation(SHOW_CONFIRM)
  async showConfirm(
    @Caller() caller: Principal,
    @Query({ schema: returnToSchema }) { return_to: returnTo }: ReturnTo,
    @Res() reply: Reply,
  ): Promise<string> {
    const pending = await this.ownEnrolment.pending(caller);
    if (pending?.isOwn === true) return this.pendingPage(caller, returnTo);
    reply.seeOther(withReturnTo(this.forms.contextPath + SETUP_PATH, this.forms.returnPath(returnTo)));
    return '';
  }

  @Post(CONFIRM_PATH)
  @SendsOn()
  @Operation(CONFIRM)
  async confirm(
    @Caller() caller: Principal,
    @Body({ schema: codeForm }) { code, return_to: returnTo }: InferOutput<typeof codeForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const again = (alert: Html): Promise<string> => this.wrongCodePage(caller, returnTo, alert);
    const { opened, roles } = await rerenderOnError(CODE_ERRORS, again, () => this.own.confirm(caller, code));
    await this.credentials.write(reply, opened, roles, { via: 'session', kind: caller.kind });
    return { url: this.forms.returnPath(returnTo) };
  }

  private setupPage(
    caller: Principal,
    returnTo: string | undefined,
    pending: PendingSecret | undefined,
    alert?: Html,
  ): string {
    return setupPage({
      ...this.forms.forCaller(SETUP_PATH, caller, returnTo),
      pending,
      ...withoutUndefined({ alert }),
    });
  }

  /** Shows the pending secret again, or only the form for its code if the login is too old to see the secret. */
  private async pendingPage(caller: Principal, returnTo: string | undefined, alert?: Html): Promise<string> {
    const form = { ...this.forms.forCaller(CONFIRM_PATH, caller, returnTo), ...withoutUndefined({ alert }) };
    const shown = await this.shown(caller);
    return shown ? secretPage(form, shown, this.forms.forCaller(SETUP_PATH, caller, returnTo)) : confirmPage(form);
  }

  /** After the code that locks the account, nothing of the secret is shown. */
  private async wrongCodePage(caller: Principal, returnTo: string | undefined, alert: Html): Promise<string> {
    try {
      return await this.pendingPage(caller, returnTo, alert);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return confirmPage({ ...this.forms.forCaller(CONFIRM_PATH, caller, returnTo), alert });
    }
  }

  private async shown(caller: Principal): Promise<ShownSecret | undefined> {
    try {
      return await this.ownEnrolment.shown(caller);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'STEP_UP_REQUIRED') return undefined;
      throw error;
    }
  }
}
