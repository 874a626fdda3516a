import { Body, Controller, Get, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { CredentialWriter } from '../../../signin/auth/credential-writer.service.js';
import { OwnEnrolment } from '../../../signin/auth/own/own-enrolment.service.js';
import { OwnSecondFactor } from '../../../signin/auth/own/own-second-factor.service.js';
import { ACCOUNT_PAGES, SECOND_FACTOR_PAGES, withReturnTo } from '../../../signin/auth/page-paths.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { AccountPage, SendsOn } from '../page.decorator.js';
import { REPLACE, SHOW_REPLACE, SHOW_TURN_OFF, TURN_OFF } from '../portal.openapi.js';
import { replacePage, turnOffPage } from './account-forms.js';
import { AccountForms } from './account-forms.service.js';
import { confirmedForm } from './account.schema.js';
import { InlineStepUp } from './inline-step-up.service.js';

type Confirmed = InferOutput<typeof confirmedForm>;

/** The pages to replace the authenticator app, and to turn the second factor off. */
@FormPages('self-service')
@Controller()
export class SecondFactorChangesController {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly ownEnrolment: OwnEnrolment,
    private readonly stepUp: InlineStepUp,
    private readonly credentials: CredentialWriter,
    private readonly forms: AccountForms,
  ) {}

  @Get(ACCOUNT_PAGES.replace)
  @AccountPage()
  @Operation(SHOW_REPLACE)
  async showReplace(@Caller() caller: FullPrincipal): Promise<View> {
    return replacePage(await this.forms.fields(caller, ACCOUNT_PAGES.replace));
  }

  @Post(ACCOUNT_PAGES.replace)
  @SendsOn()
  @Operation(REPLACE)
  async replace(
    @Caller() caller: FullPrincipal,
    @Body({ schema: confirmedForm }) confirmation: Confirmed,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    await this.forms.showingErrors(caller, { path: ACCOUNT_PAGES.replace, page: replacePage }, async () => {
      const proved = await this.stepUp.prove(caller, confirmation, reply);
      const pending = await this.ownEnrolment.pending(proved);
      // The setup page warns of a setup that another sign-in has begun.
      if (!pending || pending.isOwn) await this.ownEnrolment.setupOrResume(proved);
    });
    const setup = this.forms.urlOf(SECOND_FACTOR_PAGES.enrol);
    return { url: withReturnTo(setup, this.forms.urlOf(ACCOUNT_PAGES.security)) };
  }

  @Get(ACCOUNT_PAGES.turnOff)
  @AccountPage()
  @Operation(SHOW_TURN_OFF)
  async showTurnOff(@Caller() caller: FullPrincipal): Promise<View> {
    return turnOffPage(await this.forms.fields(caller, ACCOUNT_PAGES.turnOff, { asksAlways: true }));
  }

  @Post(ACCOUNT_PAGES.turnOff)
  @SendsOn()
  @Operation(TURN_OFF)
  async turnOff(
    @Caller() caller: FullPrincipal,
    @Body({ schema: confirmedForm }) confirmation: Confirmed,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    // Turning the second factor off always needs a proof of it, however recent the last one is.
    const shown = { path: ACCOUNT_PAGES.turnOff, page: turnOffPage, asksAlways: true };
    const renewed = await this.forms.showingErrors(caller, shown, async () =>
      this.own.disable(caller, await this.stepUp.required(caller, confirmation), { isFreshProof: true }),
    );
    if (renewed) this.credentials.writeCookies(reply, renewed);
    return this.forms.overviewAfter('off');
  }
}
