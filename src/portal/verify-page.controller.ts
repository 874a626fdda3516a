import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { CredentialWriter } from '../auth/credential-writer.service.js';
import { SECOND_FACTOR_PAGES } from '../auth/page-paths.js';
import { Reauthentication } from '../auth/own/reauthentication.service.js';
import { SecondStep } from '../auth/login/second-step.service.js';
import type { Html } from '../encoding/html.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../principal/access.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Res, type Reply } from '../web/cookies.js';
import { ApiTag, Operation } from '../web/route.decorator.js';
import { CODE_ERRORS, rerenderOnError } from './form-errors.js';
import { FormTokenGuard } from './form-token.guard.js';
import { returnToSchema, verifyForm } from './forms.schema.js';
import { Page, SendsOn } from './page.decorator.js';
import { PageForms } from './page-forms.service.js';
import { SHOW_VERIFY, VERIFY } from './portal.openapi.js';
import { ReauthenticationLinks } from './reauthentication-links.service.js';
import { proveElsewherePage, verifyPage } from './second-factor-pages.js';

const { verify: VERIFY_PATH } = SECOND_FACTOR_PAGES;
/** Maximum age of a proof that every function accepts; the page redirects users with such a proof. */
const SENT_ON_SECONDS = 300;

/** Second step and step-up as a page without script (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@UseGuards(FormTokenGuard)
@ApiTag('Pages')
@Controller(VERIFY_PATH)
export class VerifyPageController {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly secondStep: SecondStep,
    private readonly credentials: CredentialWriter,
    private readonly forms: PageForms,
    private readonly links: ReauthenticationLinks,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_VERIFY)
  async showVerify(
    @Caller() caller: Principal,
    @Query({ schema: returnToSchema }) { return_to: returnTo }: InferOutput<typeof returnToSchema>,
    @Res() reply: Reply,
  ): Promise<string> {
    const form = this.forms.forCaller(VERIFY_PATH, caller, returnTo);
    if (this.reauthentication.hasFreshOtp(caller, SENT_ON_SECONDS)) {
      reply.seeOther(form.returnTo);
      return '';
    }
    const link = this.links.forcedLogin(caller, form.returnTo);
    if (link && caller.kind === 'full' && !(await this.links.hasSecret(caller))) return proveElsewherePage(link);
    return verifyPage({ ...form, proved: provedAt(caller) });
  }

  @Post()
  @SendsOn()
  @Operation(VERIFY)
  async verify(
    @Caller() caller: Principal,
    @Body({ schema: verifyForm }) { code, return_to: asked, proved = provedAt(caller) }: InferOutput<typeof verifyForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const form = { ...this.forms.forCaller(VERIFY_PATH, caller, asked), proved };
    // The form was sent before, as after "Back" in the browser: its code was accepted and would count as a failure now.
    if (proved !== provedAt(caller) && this.reauthentication.hasFreshOtp(caller)) return { url: form.returnTo };
    const again = (alert: Html): string => verifyPage({ ...form, alert });
    const { opened, proof } = await rerenderOnError(CODE_ERRORS, again, () => this.secondStep.prove(caller, code));
    await this.credentials.write(reply, opened, proof.roles, { via: 'session', kind: caller.kind });
    return { url: form.returnTo };
  }
}

/** Form value of the time of the last proof of the second factor, in epoch seconds; 0 without a proof. */
function provedAt(caller: Principal): string {
  return String(caller.kind === 'full' ? (caller.mfaAt ?? 0) : 0);
}
