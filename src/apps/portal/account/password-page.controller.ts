import { Body, Controller, Get, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { CredentialWriter } from '../../../signin/auth/credential-writer.service.js';
import { OwnPassword } from '../../../signin/auth/own/own-password.service.js';
import { ACCOUNT_PAGES, CHANGE_PASSWORD_PATH } from '../../../signin/auth/page-paths.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller, Public } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { AccountPage, Page, type PageResult, SendsOn } from '../page.decorator.js';
import { CHANGE_PASSWORD, FIND_PASSWORD_PAGE, SHOW_PASSWORD } from '../portal.openapi.js';
import { AccountForms } from './account-forms.service.js';
import { passwordForm } from './account.schema.js';
import { InlineStepUp } from './inline-step-up.service.js';
import { PasswordPages } from './password-pages.service.js';

/** The page on which a user changes the password. */
@FormPages('self-service')
@Controller()
export class PasswordPageController {
  constructor(
    private readonly ownPassword: OwnPassword,
    private readonly stepUp: InlineStepUp,
    private readonly credentials: CredentialWriter,
    private readonly forms: AccountForms,
    private readonly pages: PasswordPages,
  ) {}

  @Get(ACCOUNT_PAGES.password)
  @AccountPage()
  @Operation(SHOW_PASSWORD)
  show(@Caller() caller: FullPrincipal): Promise<View> {
    return this.pages.show(caller);
  }

  @Post(ACCOUNT_PAGES.password)
  @SendsOn()
  @Operation(CHANGE_PASSWORD)
  async change(
    @Caller() caller: FullPrincipal,
    @Body({ schema: passwordForm }) { current, new: next, ...confirmation }: InferOutput<typeof passwordForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const renewed = await this.pages.showingErrors(caller, async () => {
      const proof = (await this.stepUp.isNeeded(caller))
        ? await this.stepUp.submitted(caller, confirmation)
        : undefined;
      return this.ownPassword.change(caller, { current, new: next }, proof);
    });
    if (renewed) this.credentials.writeCookies(reply, renewed);
    return this.forms.overviewAfter('password');
  }

  /** Redirects password managers to the page (W3C, "A Well-Known URL for Changing Passwords"). */
  @Public()
  @Get(CHANGE_PASSWORD_PATH)
  @Page()
  @Operation(FIND_PASSWORD_PAGE)
  find(@Res() reply: Reply): PageResult {
    reply.seeOther(this.forms.urlOf(ACCOUNT_PAGES.password));
    return '';
  }
}
