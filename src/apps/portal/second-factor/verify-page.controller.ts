import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { SESSION } from '../../../signin/auth/cookies.js';
import { CredentialWriter } from '../../../signin/auth/credential-writer.service.js';
import { RequestAuthenticator } from '../../../signin/auth/guards/request-authenticator.service.js';
import { SecondStep, type SecondStepClient } from '../../../signin/auth/login/second-step.service.js';
import type { CompletedSecondStep } from '../../../signin/auth/login/second-step-completion.service.js';
import { PasskeyStep } from '../../../signin/auth/login/passkey-step.service.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import {
  ACCOUNT_PAGES,
  type OnlyFactor,
  SECOND_FACTOR_PAGES,
  secondFactorPage,
} from '../../../signin/auth/page-paths.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import { type Amr, hasOtp, isPhishingResistant } from '../../../kernel/principal/amr.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, Operation } from '../../../platform/web/route.decorator.js';
import { FormTokenGuard } from '../form/form-token.guard.js';
import { verifyForm, verifyQuery } from '../form/forms.schema.js';
import { givenCode } from '../form/given-code.js';
import { assertionIn } from '../form/passkey-field.js';
import { Page, type PageResult, SendsOn } from '../page.decorator.js';
import { PageForms } from '../form/page-forms.service.js';
import { SHOW_VERIFY, VERIFY } from '../portal.openapi.js';
import { CodePages, type ErrorTexts } from './code-pages.service.js';
import { ReauthenticationLinks } from './reauthentication-links.service.js';
import { type CodeKind, proveElsewherePage } from './verify-page.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

const { verify: VERIFY_PATH } = SECOND_FACTOR_PAGES;
/** Maximum age of a proof that every function accepts; the page redirects users with such a proof. */
const SENT_ON_SECONDS = 300;
const SATISFIES: Readonly<Record<OnlyFactor, (amr: Amr) => boolean>> = { otp: hasOtp, passkey: isPhishingResistant };
/** Errors of a form whose twin, sent at the same moment, has used the code and the session up. */
const LATE: ReadonlySet<ErrorCode> = new Set(['MFA_CODE_INVALID', 'INVALID_TOKEN']);
const CODE_TEXTS: Readonly<Record<CodeKind, ErrorTexts>> = {
  totp: {},
  backup_code: { MFA_CODE_INVALID: ({ verify }) => verify.wrongBackupCode },
};
const PASSKEY_TEXTS: ErrorTexts = {
  MFA_CODE_INVALID: ({ passkey }) => passkey.rejected,
  VALIDATION_FAILED: ({ passkey }) => passkey.failed,
};

/** Second step and step-up as a page, which needs its script for passkeys only (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@UseGuards(FormTokenGuard)
@ApiTag('Pages')
@RateLimited('second-factor')
@Controller(VERIFY_PATH)
export class VerifyPageController {
  constructor(
    private readonly authentication: RequestAuthenticator,
    private readonly reauthentication: Reauthentication,
    private readonly secondStep: SecondStep,
    private readonly passkeys: PasskeyStep,
    private readonly credentials: CredentialWriter,
    private readonly forms: PageForms,
    private readonly pages: CodePages,
    private readonly links: ReauthenticationLinks,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_VERIFY)
  async showVerify(
    @Caller() caller: Principal,
    @Query({ schema: verifyQuery }) { return_to: asked, method, required }: InferOutput<typeof verifyQuery>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const returnTo = this.forms.returnTarget(asked);
    if (this.hasProved(caller, required, SENT_ON_SECONDS)) {
      reply.seeOther(returnTo);
      return '';
    }
    const link = this.links.forcedLogin(caller, returnTo);
    if (link && caller.kind === 'full' && !(await this.links.hasFactor(caller))) return proveElsewherePage(link);
    if (await this.pages.mustEnrol(caller)) {
      reply.seeOther(secondFactorPage(this.forms.contextPath, 'enrol', returnTo));
      return '';
    }
    if (required === 'passkey' && (await this.pages.mustAddPasskey(caller))) {
      reply.seeOther(this.forms.contextPath + ACCOUNT_PAGES.addPasskey);
      return '';
    }
    const locked = await this.pages.lock(caller, returnTo, required);
    return locked ?? this.pages.form(caller, { returnTo, method, ...withoutUndefined({ required }) });
  }

  @Post()
  @SendsOn({ redirectsForms: true })
  @Operation(VERIFY)
  async verify(
    @Caller() caller: Principal,
    @Body({ schema: verifyForm }) form: InferOutput<typeof verifyForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const { code = '', credential, method, required, return_to: asked, trust_device: trust } = form;
    const { proved = this.pages.provedAt(caller) } = form;
    const returnTo = this.forms.returnTarget(asked);
    const isTrusting = trust === 'true';
    // The form was sent before, as after "Back" in the browser: its code was accepted and would count as a failure now.
    if (proved !== this.pages.provedAt(caller) && this.hasProved(caller, required)) return { url: returnTo };
    const client = { cookies: reply.cookies, trustDevice: isTrusting && caller.kind === 'half' };
    const completed = await this.pages.showingErrors(
      caller,
      { returnTo, required, texts: credential === undefined ? CODE_TEXTS[method ?? 'totp'] : PASSKEY_TEXTS },
      (alert) =>
        this.pages.form(caller, { returnTo, method, ...withoutUndefined({ required }), proved, isTrusting, alert }),
      () =>
        this.unlessDone(caller, reply, () =>
          credential === undefined
            ? this.secondStep.prove(caller, givenCode(code), client)
            : this.assert(caller, credential, client),
        ),
    );
    if (!completed) return { url: returnTo };
    const { opened, proof, trustedDevice } = completed;
    await this.credentials.write(reply, opened, proof.roles, 'session');
    if (trustedDevice) this.credentials.writeTrustedDevice(reply, trustedDevice);
    return { url: returnTo };
  }

  /** Without a credential, the script got no options: the service says why, if that has not changed meanwhile. */
  private async assert(caller: Principal, credential: string, client: SecondStepClient): Promise<CompletedSecondStep> {
    if (credential === '') await this.passkeys.options(caller);
    return this.passkeys.prove(caller, assertionIn(credential), client);
  }

  /**
   * Runs the step. Undefined if it fails because the same form, which was sent twice at once, has completed the step: the
   * session of the cookie is then replaced or proven, and the response to the other request has the new cookie.
   */
  private async unlessDone<T>(caller: Principal, reply: Reply, step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ServiceError) || !LATE.has(error.code) || caller.via === 'token') throw error;
      const now = await this.authentication.visitor(reply.cookies[SESSION]);
      if (now?.kind === caller.kind && this.pages.provedAt(now) === this.pages.provedAt(caller)) throw error;
      return undefined;
    }
  }

  /** With another second factor than the required one, the target would only send the user here again. */
  private hasProved(caller: Principal, required: OnlyFactor | undefined, maxAge?: number): boolean {
    if (required && !(caller.kind === 'full' && SATISFIES[required](caller.amr))) return false;
    return this.reauthentication.hasFreshMfa(caller, maxAge);
  }
}
