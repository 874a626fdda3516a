import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ACCOUNT_PAGES, SECOND_FACTOR_PAGES, secondFactorPage } from '../../../signin/auth/page-paths.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { verifyForm, verifyQuery } from '../form/forms.schema.js';
import { Page, type PageResult, SendsOn } from '../page.decorator.js';
import { PageForms } from '../form/page-forms.service.js';
import { SHOW_VERIFY, VERIFY } from '../portal.openapi.js';
import { CodePages, type ErrorTexts, provedAt } from './code-pages.service.js';
import { ReauthenticationLinks } from './reauthentication-links.service.js';
import { SecondStepForm } from './second-step-form.service.js';
import { SetupPages } from './setup-pages.service.js';
import { type CodeKind, proveElsewherePage } from './verify-page.js';

const { verify: VERIFY_PATH } = SECOND_FACTOR_PAGES;
/** Maximum age of a proof that every function accepts; the page redirects users with such a proof. */
const SENT_ON_SECONDS = 300;
const CODE_TEXTS: Readonly<Record<CodeKind, ErrorTexts>> = {
  totp: { VALIDATION_FAILED: ({ verify }) => verify.malformedTotp },
  backup_code: {
    MFA_CODE_INVALID: ({ verify }) => verify.wrongBackupCode,
    VALIDATION_FAILED: ({ verify }) => verify.malformedBackupCode,
  },
};
const PASSKEY_TEXTS: ErrorTexts = {
  MFA_CODE_INVALID: ({ passkey }) => passkey.rejected,
  VALIDATION_FAILED: ({ passkey }) => passkey.failed,
};

/** Second step and step-up as a page, which needs its script for passkeys only (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@FormPages('second-factor')
@Controller(VERIFY_PATH)
export class VerifyPageController {
  constructor(
    private readonly step: SecondStepForm,
    private readonly setup: SetupPages,
    private readonly forms: PageForms,
    private readonly pages: CodePages,
    private readonly links: ReauthenticationLinks,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_VERIFY)
  async showVerify(
    @Caller() caller: Principal,
    @Query({ schema: verifyQuery }) { return_to: requested, method, required }: InferOutput<typeof verifyQuery>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const returnTo = this.forms.returnTarget(requested);
    if (this.step.hasProved(caller, required, SENT_ON_SECONDS)) {
      reply.seeOther(returnTo);
      return '';
    }
    const link = this.links.forcedLogin(caller, returnTo);
    if (link && caller.kind === 'full' && !(await this.links.hasFactor(caller))) return proveElsewherePage(link);
    if (await this.setup.mustEnrol(caller)) {
      reply.seeOther(secondFactorPage(this.forms.contextPath, 'enrol', returnTo));
      return '';
    }
    if (required === 'passkey' && (await this.setup.mustAddPasskey(caller))) {
      reply.seeOther(this.forms.contextPath + ACCOUNT_PAGES.addPasskey);
      return '';
    }
    return this.pages.formOrLock(caller, { returnTo, method, ...withoutUndefined({ required }) });
  }

  @Post()
  @SendsOn({ redirectsForms: true })
  @Operation(VERIFY)
  async verify(
    @Caller() caller: Principal,
    @Body({ schema: verifyForm }) form: InferOutput<typeof verifyForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const { credential, method, required, return_to: requested, proved = provedAt(caller) } = form;
    const returnTo = this.forms.returnTarget(requested);
    // The same form was sent before, for example after "Back": its code was accepted then and would now count as a
    // failure.
    if (proved !== provedAt(caller) && this.step.hasProved(caller, required)) return { url: returnTo };
    const facts = {
      returnTo,
      method,
      ...withoutUndefined({ required }),
      proved,
      isTrusting: form.trust_device === 'true',
    };
    const completed = await this.pages.showingErrors(
      caller,
      { returnTo, required, texts: credential === undefined ? CODE_TEXTS[method ?? 'totp'] : PASSKEY_TEXTS },
      (alert) => this.pages.form(caller, { ...facts, alert }),
      () => this.step.prove(caller, form, reply),
    );
    if (completed) await this.step.write(reply, completed);
    return { url: returnTo };
  }
}
