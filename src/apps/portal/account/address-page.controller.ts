import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { type Language, LANGUAGES } from '../../../identity/account/language.js';
import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { OwnAddress } from '../../../signin/recovery/own-address.service.js';
import { MessagesProperties } from '../../../signin/messages/messages.properties.js';
import { requestedLanguage } from '../../../platform/http/page/page-language.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { AccountPage, SendsOn } from '../page.decorator.js';
import { REQUEST_ADDRESS, SHOW_ADDRESS, VERIFY_ADDRESS } from '../portal.openapi.js';
import { AccountForms } from './account-forms.service.js';
import { addressForm, verifyAddressForm } from './account.schema.js';
import { AddressPages } from './address-pages.service.js';
import { InlineStepUp } from './inline-step-up.service.js';

interface SeeOther {
  readonly url: string;
}

/** The page on which a user requests another mail address, and the form that verifies the present one. */
@FormPages('self-service')
@Controller()
export class AddressPageController {
  constructor(
    private readonly own: OwnAddress,
    private readonly stepUp: InlineStepUp,
    private readonly forms: AccountForms,
    private readonly pages: AddressPages,
    private readonly messages: MessagesProperties,
  ) {}

  @Get(ACCOUNT_PAGES.email)
  @AccountPage()
  @Operation(SHOW_ADDRESS)
  show(@Caller() caller: FullPrincipal): Promise<View> {
    return this.pages.show(caller);
  }

  @Post(ACCOUNT_PAGES.email)
  @SendsOn()
  @Operation(REQUEST_ADDRESS)
  async request(
    @Caller() caller: FullPrincipal,
    @Body({ schema: addressForm }) { email, pw, ...confirmation }: InferOutput<typeof addressForm>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<SeeOther> {
    const language = this.languageOf(request);
    await this.pages.showingErrors(caller, email, async () => {
      const proved = await this.stepUp.prove(caller, confirmation, reply);
      await this.own.request(proved, { email: email.trim(), password: pw, language });
    });
    return this.forms.overviewAfter('emailSent');
  }

  @Post(ACCOUNT_PAGES.verifyEmail)
  @SendsOn()
  @Operation(VERIFY_ADDRESS)
  async verify(
    @Caller() caller: FullPrincipal,
    @Body({ schema: verifyAddressForm }) _form: InferOutput<typeof verifyAddressForm>,
    @Req() request: HttpRequest,
  ): Promise<SeeOther> {
    await this.own.verify(caller, this.languageOf(request));
    return this.forms.overviewAfter('emailSent');
  }

  private languageOf({ headers }: HttpRequest): Language {
    return requestedLanguage(headers, LANGUAGES) ?? this.messages.defaultLanguage;
  }
}
