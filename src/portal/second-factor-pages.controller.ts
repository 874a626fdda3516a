import { Body, Controller, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { CredentialWriter } from '../auth/credential-writer.service.js';
import { OwnSecondFactor, type PendingSecret } from '../auth/own-second-factor.service.js';
import { withReturnTo } from '../auth/page-paths.js';
import { SecondStep } from '../auth/second-step.service.js';
import type { ErrorCode } from '../errors/error-code.js';
import { ServiceError } from '../errors/service-error.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../principal/access.decorator.js';
import type { FullPrincipal, Principal } from '../principal/principal.js';
import type { ShownSecret } from '../second-factor/enrolment/enrolment.service.js';
import { FormBody, ApiTag, Operation } from '../web/route.decorator.js';
import { Res, type Reply } from '../web/cookies.js';
import type { Html } from '../encoding/html.js';
import { safeReturnPath } from '../web/return-to.js';
import { Idps } from '../saml/idp/idps.service.js';
import { ServletProperties } from '../http/server.properties.js';
import { rerenderOnError, withForm } from './form-errors.js';
import { callerBinding } from './form-binding.js';
import { FormTokenGuard } from './form-token.guard.js';
import { FormTokens } from './form-tokens.service.js';
import type { FormFields } from './forms.js';
import { codeForm, returnToSchema, setupForm, verifyForm } from './forms.schema.js';
import { BEGIN_SETUP, CONFIRM, SHOW_CONFIRM, SHOW_SETUP, SHOW_VERIFY, VERIFY } from './portal.openapi.js';
import { Page, SendsOn } from './page.decorator.js';
import {
  confirmPage,
  type ProofWay,
  proveAgainPage,
  proveElsewherePage,
  secretPage,
  setupPage,
  verifyPage,
} from './second-factor-pages.js';
import { forcedLoginPath, signInAgainPath } from './sign-in-page.js';

const PREFIX = '2fa/portal';
/** Errors that the form itself shows. */
const TOLD: ReadonlySet<ErrorCode> = new Set(['MFA_CODE_INVALID', 'VALIDATION_FAILED']);
/** Maximum age of a proof that every function accepts; the page redirects users with such a proof. */
const SENT_ON_SECONDS = 300;
const STALE: ReadonlySet<ErrorCode> = new Set(['STEP_UP_REQUIRED']);

type Code = InferOutput<typeof codeForm>;
type Verify = InferOutput<typeof verifyForm>;
type ReturnTo = InferOutput<typeof returnToSchema>;
type SentOn = Promise<{ readonly url: string }>;

/** Second step, step-up and enrolment as pages without script (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@UseGuards(FormTokenGuard)
@ApiTag('Pages')
@Controller(PREFIX)
export class SecondFactorPagesController {
  private readonly contextPath: string;

  constructor(
    private readonly own: OwnSecondFactor,
    private readonly secondStep: SecondStep,
    private readonly handover: CredentialWriter,
    private readonly tokens: FormTokens,
    private readonly idps: Idps,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  @Get('verify')
  @Page()
  @Operation(SHOW_VERIFY)
  async showVerify(
    @Caller() caller: Principal,
    @Query({ schema: returnToSchema }) { return_to: returnTo }: ReturnTo,
    @Res() reply: Reply,
  ): Promise<string> {
    const form = this.form('verify', caller, returnTo);
    if (this.own.hasFreshOtp(caller, SENT_ON_SECONDS)) {
      reply.seeOther(form.returnTo);
      return '';
    }
    const way = this.forcedLogin(caller, form.returnTo);
    if (way && caller.kind === 'full' && !(await this.hasSecret(caller))) return proveElsewherePage(way);
    return verifyPage({ ...form, proved: provedAt(caller) });
  }

  @Post('verify')
  @SendsOn()
  @Operation(VERIFY)
  async verify(
    @Caller() caller: Principal,
    @Body({ schema: verifyForm }) { code, return_to: asked, proved = provedAt(caller) }: Verify,
    @Res() reply: Reply,
  ): SentOn {
    const form = { ...this.form('verify', caller, asked), proved };
    // The form was sent before, as after "Back" in the browser: its code was accepted and would count as a failure now.
    if (proved !== provedAt(caller) && this.own.hasFreshOtp(caller)) return { url: form.returnTo };
    const again = (alert: Html): string => verifyPage({ ...form, alert });
    const { opened, proof } = await rerenderOnError(TOLD, again, () => this.secondStep.prove(caller, code));
    await this.handover.write(reply, opened, proof.roles, 'session');
    return { url: form.returnTo };
  }

  @Get('setup')
  @Page()
  @Operation(SHOW_SETUP)
  async showSetup(
    @Caller() caller: Principal,
    @Query({ schema: returnToSchema }) { return_to: returnTo }: ReturnTo,
  ): Promise<string> {
    const pending = await this.own.pending(caller);
    return pending?.isOwn === true ? this.pendingPage(caller, returnTo) : this.setupPage(caller, returnTo, pending);
  }

  @Post('setup')
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(BEGIN_SETUP)
  async begin(
    @Caller() caller: Principal,
    @Body({ schema: setupForm }) { replaces, return_to: returnTo }: InferOutput<typeof setupForm>,
  ): Promise<string> {
    const pending = await this.own.pending(caller);
    if (pending && !pending.isOwn && replaces !== String(pending.until)) {
      throw await withForm(new ServiceError('MFA_STATE_CONFLICT', { reason: 'a secret is pending' }), (alert) =>
        this.setupPage(caller, returnTo, pending, alert),
      );
    }
    const way = await this.wayToProve(caller, returnTo);
    const again = (alert: Html): string => proveAgainPage(alert, way);
    // A repeated form, as after a reload, shows the same secret, which the user's app may already have.
    const setup = await rerenderOnError(STALE, again, () => this.own.setupOrResume(caller));
    return secretPage(this.form('confirm', caller, returnTo), setup);
  }

  @Get('confirm')
  @Page()
  @Operation(SHOW_CONFIRM)
  async showConfirm(
    @Caller() caller: Principal,
    @Query({ schema: returnToSchema }) { return_to: returnTo }: ReturnTo,
    @Res() reply: Reply,
  ): Promise<string> {
    const pending = await this.own.pending(caller);
    if (pending?.isOwn === true) return this.pendingPage(caller, returnTo);
    reply.seeOther(withReturnTo(this.pathOf('setup'), safeReturnPath(returnTo, this.contextPath)));
    return '';
  }

  @Post('confirm')
  @SendsOn()
  @Operation(CONFIRM)
  async confirm(
    @Caller() caller: Principal,
    @Body({ schema: codeForm }) { code, return_to: returnTo }: Code,
    @Res() reply: Reply,
  ): SentOn {
    const again = (alert: Html): Promise<string> => this.wrongCodePage(caller, returnTo, alert);
    const { opened, roles } = await rerenderOnError(TOLD, again, () => this.own.confirm(caller, code));
    await this.handover.write(reply, opened, roles, 'session');
    return { url: safeReturnPath(returnTo, this.contextPath) };
  }

  /** The page on which the user authenticates again before the setup; undefined if there is none. */
  private async wayToProve(caller: Principal, returnTo: string | undefined): Promise<ProofWay | undefined> {
    const end = safeReturnPath(returnTo, this.contextPath);
    const setupPath = withReturnTo(this.pathOf('setup'), end);
    if (caller.kind === 'full' && (await this.hasSecret(caller))) {
      return { label: 'Enter a code of your authenticator app', path: withReturnTo(this.pathOf('verify'), setupPath) };
    }
    if (caller.idp === undefined) return { label: 'Sign in again', path: signInAgainPath(this.contextPath, setupPath) };
    // A half-authenticated login leads to the setup by itself.
    return this.forcedLogin(caller, caller.kind === 'half' ? end : setupPath);
  }

  /** The forced login at the user's identity provider; undefined for users without one. */
  private forcedLogin({ idp: name }: Principal, end: string): ProofWay | undefined {
    const idp = this.idps.list().find((each) => each.name === name);
    return (
      idp && {
        label: `Sign in again with ${idp.displayName}`,
        path: forcedLoginPath(this.contextPath, idp.name, end),
      }
    );
  }

  /** True for a user with an authenticator app that is set up here. */
  private async hasSecret(caller: FullPrincipal): Promise<boolean> {
    return (await this.own.state(caller)).factors.activatedAt !== undefined;
  }

  private setupPage(
    caller: Principal,
    returnTo: string | undefined,
    pending: PendingSecret | undefined,
    alert?: Html,
  ): string {
    return setupPage({ ...this.form('setup', caller, returnTo), pending, ...(alert && { alert }) });
  }

  /** Shows the pending secret again, or only the form for its code if the login is too old to see the secret. */
  private async pendingPage(caller: Principal, returnTo: string | undefined, alert?: Html): Promise<string> {
    const form = { ...this.form('confirm', caller, returnTo), ...(alert && { alert }) };
    const shown = await this.shown(caller);
    return shown ? secretPage(form, shown, this.form('setup', caller, returnTo)) : confirmPage(form);
  }

  /** After the code that locks the account, nothing of the secret is shown. */
  private async wrongCodePage(caller: Principal, returnTo: string | undefined, alert: Html): Promise<string> {
    try {
      return await this.pendingPage(caller, returnTo, alert);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return confirmPage({ ...this.form('confirm', caller, returnTo), alert });
    }
  }

  private async shown(caller: Principal): Promise<ShownSecret | undefined> {
    try {
      return await this.own.shown(caller);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'STEP_UP_REQUIRED') return undefined;
      throw error;
    }
  }

  private form(page: 'verify' | 'setup' | 'confirm', caller: Principal, returnTo: string | undefined): FormFields {
    return {
      action: this.pathOf(page),
      csrf: this.tokens.issue(callerBinding(caller), caller.kind === 'half'),
      returnTo: safeReturnPath(returnTo, this.contextPath),
    };
  }

  private pathOf(page: string): string {
    return `${this.contextPath}/${PREFIX}/${page}`;
  }
}

/** Form value of the time of the last proof of the second factor, in epoch seconds; 0 without a proof. */
function provedAt(caller: Principal): string {
  return String(caller.kind === 'full' ? (caller.mfaAt ?? 0) : 0);
}
