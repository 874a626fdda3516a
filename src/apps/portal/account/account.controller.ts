import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { SessionRevocation } from '../../../signin/auth/session-revocation.service.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { TrustedDeviceList } from '../../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { AccountPage, SendsOn } from '../page.decorator.js';
import { CHOOSE_LANGUAGE, END_DEVICE, END_SESSION, SHOW_ACCOUNT } from '../portal.openapi.js';
import { AccountForms } from './account-forms.service.js';
import { endDeviceForm, endSessionForm, languageForm, overviewQuery } from './account.schema.js';
import { AccountOverview } from './account-overview.service.js';

interface SeeOther {
  readonly url: string;
}

/** Account security: state of the second factor, sessions, trusted browsers and language. */
@FormPages('self-service')
@Controller()
export class AccountController {
  constructor(
    private readonly overview: AccountOverview,
    private readonly sessionEnd: SessionRevocation,
    private readonly devices: TrustedDeviceList,
    private readonly accounts: Accounts,
    private readonly forms: AccountForms,
  ) {}

  @Get(ACCOUNT_PAGES.security)
  @AccountPage()
  @Operation(SHOW_ACCOUNT)
  show(
    @Caller() caller: FullPrincipal,
    @Query({ schema: overviewQuery }) { done }: InferOutput<typeof overviewQuery>,
  ): Promise<View> {
    return this.overview.page(caller, done);
  }

  /** Ends one session, or without `id` all other sessions. A session that has already ended is not an error. */
  @Post(ACCOUNT_PAGES.endSession)
  @SendsOn()
  @Operation(END_SESSION)
  async endSession(
    @Caller() { subject, sid }: FullPrincipal,
    @Body({ schema: endSessionForm }) { id }: InferOutput<typeof endSessionForm>,
  ): Promise<SeeOther> {
    if (id === undefined) {
      await this.sessionEnd.revokeOthers(subject, sid);
      return this.forms.overviewAfter('sessions');
    }
    await this.sessionEnd.revoke(subject, id, 'revoked');
    return this.forms.overviewAfter('session');
  }

  @Post(ACCOUNT_PAGES.endDevice)
  @SendsOn()
  @Operation(END_DEVICE)
  async endDevice(
    @Caller() { subject }: FullPrincipal,
    @Body({ schema: endDeviceForm }) { id }: InferOutput<typeof endDeviceForm>,
  ): Promise<SeeOther> {
    await this.devices.revoke(subject, id);
    return this.forms.overviewAfter('device');
  }

  @Post(ACCOUNT_PAGES.language)
  @SendsOn()
  @Operation(CHOOSE_LANGUAGE)
  async chooseLanguage(
    @Caller() { subject }: FullPrincipal,
    @Body({ schema: languageForm }) { language }: InferOutput<typeof languageForm>,
  ): Promise<SeeOther> {
    await this.accounts.setLanguage(subject, language);
    // The page remembers the language of its query for this browser.
    return { url: `${this.forms.overviewAfter('language').url}&lang=${language}` };
  }
}
