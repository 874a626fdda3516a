import { Body, Controller, Get, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { OwnSecondFactor } from '../../../signin/auth/own/own-second-factor.service.js';
import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { AccountPage, SendsOn } from '../page.decorator.js';
import { NEW_CODES, SHOW_NEW_CODES } from '../portal.openapi.js';
import { newCodesPage } from './account-forms.js';
import { AccountForms } from './account-forms.service.js';
import { confirmedForm } from './account.schema.js';
import { InlineStepUp } from './inline-step-up.service.js';

/** The page on which a user gets new backup codes. */
@FormPages('self-service')
@Controller(ACCOUNT_PAGES.backupCodes)
export class BackupCodesPageController {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly stepUp: InlineStepUp,
    private readonly forms: AccountForms,
  ) {}

  @Get()
  @AccountPage()
  @Operation(SHOW_NEW_CODES)
  async show(@Caller() caller: FullPrincipal): Promise<View> {
    return newCodesPage(await this.forms.fields(caller, ACCOUNT_PAGES.backupCodes));
  }

  @Post()
  @SendsOn()
  @Operation(NEW_CODES)
  async renew(
    @Caller() caller: FullPrincipal,
    @Body({ schema: confirmedForm }) confirmation: InferOutput<typeof confirmedForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const shown = { path: ACCOUNT_PAGES.backupCodes, page: newCodesPage };
    const codes = await this.forms.showingErrors(caller, shown, async () =>
      this.own.reissueBackupCodes(await this.stepUp.prove(caller, confirmation, reply)),
    );
    return this.forms.codesAfter(caller, { codes, occasion: 'reissue' });
  }
}
