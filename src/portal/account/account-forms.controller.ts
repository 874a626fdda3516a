import { Body, Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { CredentialWriter } from '../../auth/credential-writer.service.js';
import { OwnEnrolment } from '../../auth/own/own-enrolment.service.js';
import { OwnSecondFactor } from '../../auth/own/own-second-factor.service.js';
import { Reauthentication } from '../../auth/own/reauthentication.service.js';
import { ACCOUNT_PAGES, SECOND_FACTOR_PAGES, withReturnTo } from '../../auth/page-paths.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import { ServiceError } from '../../errors/service-error.js';
import type { PagePart, View } from '../../http/page/view.js';
import { Caller } from '../../principal/access.decorator.js';
import type { FullPrincipal } from '../../principal/principal.js';
import { Res, type Reply } from '../../web/cookies.js';
import { ApiTag, FormBody, Operation } from '../../web/route.decorator.js';
import { FormTokenGuard } from '../form/form-token.guard.js';
import { PageForms } from '../form/page-forms.service.js';
import { Navigation } from '../home/navigation.service.js';
import { AccountPage, Page, SendsOn } from '../page.decorator.js';
import { NEW_CODES, REPLACE, SHOW_NEW_CODES, SHOW_REPLACE, SHOW_TURN_OFF, TURN_OFF } from '../portal.openapi.js';
import { CodePages } from '../second-factor/code-pages.service.js';
import { codesPage } from '../second-factor/setup-pages.js';
import { type AccountFormFields, newCodesPage, replacePage, turnOffPage } from './account-forms.js';
import { confirmedForm } from './account.schema.js';
import { InlineStepUp } from './inline-step-up.service.js';

type Confirmed = InferOutput<typeof confirmedForm>;

/** Changes of the own second factor; each form asks for a code if the last proof is too old. */
@UseGuards(FormTokenGuard)
@ApiTag('Pages')
@Controller()
export class AccountFormsController {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly ownEnrolment: OwnEnrolment,
    private readonly reauthentication: Reauthentication,
    private readonly stepUp: InlineStepUp,
    private readonly pages: CodePages,
    private readonly forms: PageForms,
    private readonly navigation: Navigation,
    private readonly credentials: CredentialWriter,
  ) {}

  @Get(ACCOUNT_PAGES.backupCodes)
  @AccountPage()
  @Operation(SHOW_NEW_CODES)
  showNewCodes(@Caller() caller: FullPrincipal): View {
    return newCodesPage(this.fields(caller, ACCOUNT_PAGES.backupCodes));
  }

  @Post(ACCOUNT_PAGES.backupCodes)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(NEW_CODES)
  async newCodes(
    @Caller() caller: FullPrincipal,
    @Body({ schema: confirmedForm }) { code }: Confirmed,
    @Res() reply: Reply,
  ): Promise<View> {
    const { loginId } = await this.reauthentication.accountOf(caller);
    const backupCodes = await this.showingErrors(caller, ACCOUNT_PAGES.backupCodes, newCodesPage, async () =>
      this.own.reissueBackupCodes(await this.stepUp.prove(caller, code, reply)),
    );
    return codesPage({ loginId, backupCodes, isSetup: false, next: this.forms.contextPath + ACCOUNT_PAGES.security });
  }

  @Get(ACCOUNT_PAGES.replace)
  @AccountPage()
  @Operation(SHOW_REPLACE)
  showReplace(@Caller() caller: FullPrincipal): View {
    return replacePage(this.fields(caller, ACCOUNT_PAGES.replace));
  }

  @Post(ACCOUNT_PAGES.replace)
  @SendsOn()
  @Operation(REPLACE)
  async replace(
    @Caller() caller: FullPrincipal,
    @Body({ schema: confirmedForm }) { code }: Confirmed,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    await this.showingErrors(caller, ACCOUNT_PAGES.replace, replacePage, async () => {
      const proved = await this.stepUp.prove(caller, code, reply);
      const pending = await this.ownEnrolment.pending(proved);
      // The setup page warns of a setup that another sign-in has begun.
      if (!pending || pending.isOwn) await this.ownEnrolment.setupOrResume(proved);
    });
    const { contextPath } = this.forms;
    return { url: withReturnTo(contextPath + SECOND_FACTOR_PAGES.enrol, contextPath + ACCOUNT_PAGES.security) };
  }

  @Get(ACCOUNT_PAGES.turnOff)
  @AccountPage()
  @Operation(SHOW_TURN_OFF)
  showTurnOff(@Caller() caller: FullPrincipal): View {
    return turnOffPage({ ...this.fields(caller, ACCOUNT_PAGES.turnOff), asksForCode: true });
  }

  @Post(ACCOUNT_PAGES.turnOff)
  @SendsOn()
  @Operation(TURN_OFF)
  async turnOff(
    @Caller() caller: FullPrincipal,
    @Body({ schema: confirmedForm }) { code = '' }: Confirmed,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const page = (fields: AccountFormFields): View => turnOffPage({ ...fields, asksForCode: true });
    const renewed = await this.showingErrors(caller, ACCOUNT_PAGES.turnOff, page, () =>
      this.own.disable(caller, code, { codeIsProof: true }),
    );
    if (renewed) this.credentials.writeCookies(reply, renewed);
    return { url: `${this.forms.contextPath}${ACCOUNT_PAGES.security}?done=off` };
  }

  private showingErrors<T>(
    caller: FullPrincipal,
    path: string,
    page: (fields: AccountFormFields) => View,
    step: () => Promise<T>,
  ): Promise<T> {
    const returnTo = this.forms.contextPath + path;
    const withoutCode = async (): Promise<T> => {
      try {
        return await step();
      } catch (error) {
        // The proof has become too old since the form was shown: the form then asks for a code.
        if (!(error instanceof ServiceError) || error.code !== 'STEP_UP_REQUIRED') throw error;
        throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'code', code: 'required' }] });
      }
    };
    return this.pages.showingErrors(caller, returnTo, (alert) => page(this.fields(caller, path, alert)), withoutCode);
  }

  private fields(caller: FullPrincipal, path: string, alert?: PagePart): AccountFormFields {
    return {
      ...this.forms.forCaller(path, caller),
      navigation: this.navigation.for(caller, 'security'),
      asksForCode: this.stepUp.isNeeded(caller),
      ...withoutUndefined({ alert }),
    };
  }
}
