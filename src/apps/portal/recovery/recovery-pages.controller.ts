import { Body, Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import type { IssuedAccessCode } from '../../../identity/second-factor/access-code/access-code.js';
import { RECOVERY_PAGES } from '../../../signin/auth/page-paths.js';
import { requestedLanguage } from '../../../platform/http/page/page-language.js';
import type { View } from '../../../platform/http/page/view.js';
import { type Language, LANGUAGES } from '../../../identity/account/language.js';
import { MessagesProperties } from '../../../signin/messages/messages.properties.js';
import { Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import { LockRecovery } from '../../../signin/recovery/lock-recovery.service.js';
import { NotMeReports } from '../../../signin/recovery/not-me-reports.service.js';
import { PasswordRecovery } from '../../../signin/recovery/password-recovery.service.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { FormBody, HashesPassword, Operation } from '../../../platform/web/route.decorator.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { Page } from '../page.decorator.js';
import {
  OPEN_INVITATION,
  OPEN_NOT_ME,
  OPEN_RESET,
  OPEN_UNLOCK,
  USE_INVITATION,
  USE_NOT_ME,
  USE_RESET,
  USE_UNLOCK,
} from './recovery-pages.openapi.js';
import { choosePasswordForm, linkForm, linkQuery } from './recovery-pages.schema.js';
import { linkDonePage, reportDonePage } from './recovery-pages.js';
import { RecoveryPages } from './recovery-pages.service.js';

type LinkQuery = InferOutput<typeof linkQuery>;
type LinkForm = InferOutput<typeof linkForm>;
type ChoosePassword = InferOutput<typeof choosePasswordForm>;

/** The pages that mailed links open. */
@Public()
@SignInRoute()
@FormPages('recovery')
@Controller()
export class RecoveryPagesController {
  constructor(
    private readonly passwords: PasswordRecovery,
    private readonly locks: LockRecovery,
    private readonly reports: NotMeReports,
    private readonly pages: RecoveryPages,
    private readonly messages: MessagesProperties,
  ) {}

  @Get(RECOVERY_PAGES.reset)
  @Page()
  @Operation(OPEN_RESET)
  showReset(@Query({ schema: linkQuery }) { token }: LinkQuery, @Res() reply: Reply): Promise<View> {
    return this.pages.show('password-reset', token, reply);
  }

  @Post(RECOVERY_PAGES.reset)
  @HttpCode(200)
  @HashesPassword()
  @Page()
  @FormBody()
  @Operation(USE_RESET)
  async reset(
    @Body({ schema: choosePasswordForm }) { token, new: password }: ChoosePassword,
    @Res() reply: Reply,
  ): Promise<View> {
    await this.pages.act('password-reset', token, reply, () => this.passwords.reset(token, password));
    return linkDonePage('reset');
  }

  @Get(RECOVERY_PAGES.invitation)
  @Page()
  @Operation(OPEN_INVITATION)
  showInvitation(@Query({ schema: linkQuery }) { token }: LinkQuery, @Res() reply: Reply): Promise<View> {
    return this.pages.show('invitation', token, reply);
  }

  @Post(RECOVERY_PAGES.invitation)
  @HttpCode(200)
  @HashesPassword()
  @Page()
  @FormBody()
  @Operation(USE_INVITATION)
  async accept(
    @Body({ schema: choosePasswordForm }) { token, new: password }: ChoosePassword,
    @Res() reply: Reply,
  ): Promise<View> {
    const accept = (): Promise<IssuedAccessCode | undefined> => this.passwords.acceptInvitation(token, password);
    return linkDonePage('invitation', await this.pages.act('invitation', token, reply, accept));
  }

  @Get(RECOVERY_PAGES.unlock)
  @Page()
  @Operation(OPEN_UNLOCK)
  showUnlock(@Query({ schema: linkQuery }) { token }: LinkQuery, @Res() reply: Reply): Promise<View> {
    return this.pages.show('unlock', token, reply);
  }

  @Post(RECOVERY_PAGES.unlock)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(USE_UNLOCK)
  async unlock(@Body({ schema: linkForm }) { token }: LinkForm, @Res() reply: Reply): Promise<View> {
    await this.pages.act('unlock', token, reply, () => this.locks.unlock(token));
    return linkDonePage('unlock');
  }

  @Get(RECOVERY_PAGES['not-me'])
  @Page()
  @Operation(OPEN_NOT_ME)
  showNotMe(@Query({ schema: linkQuery }) { token }: LinkQuery, @Res() reply: Reply): Promise<View> {
    return this.pages.show('not-me', token, reply);
  }

  @Post(RECOVERY_PAGES['not-me'])
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(USE_NOT_ME)
  async report(
    @Body({ schema: linkForm }) { token }: LinkForm,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<View> {
    const language = this.languageOf(request);
    return reportDonePage(await this.pages.act('not-me', token, reply, () => this.reports.report(token, language)));
  }

  private languageOf({ headers }: HttpRequest): Language {
    return requestedLanguage(headers, LANGUAGES) ?? this.messages.defaultLanguage;
  }
}
