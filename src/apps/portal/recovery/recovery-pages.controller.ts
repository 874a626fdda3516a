import type { IssuedAccessCode } from '../../../identity/second-factor/access-code/access-code.js';
import { Body, Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import type { InferOutput } from 'valibot';
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
import { reportDonePage } from './recovery-pages.js';
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
  showReset(@Query({ schema: linkQuery }) query: LinkQuery, @Res() reply: Reply): Promise<View> {
    return this.pages.show('password-reset', query, reply);
  }

  @Post(RECOVERY_PAGES.reset)
  @HttpCode(200)
  @HashesPassword()
  @Page()
  @FormBody()
  @Operation(USE_RESET)
  reset(
    @Body({ schema: choosePasswordForm }) { new: password, ...link }: ChoosePassword,
    @Res() reply: Reply,
  ): Promise<View> {
    return this.pages.finish('password-reset', link, reply, () => this.passwords.reset(link.token, password));
  }

  @Get(RECOVERY_PAGES.invitation)
  @Page()
  @Operation(OPEN_INVITATION)
  showInvitation(@Query({ schema: linkQuery }) query: LinkQuery, @Res() reply: Reply): Promise<View> {
    return this.pages.show('invitation', query, reply);
  }

  @Post(RECOVERY_PAGES.invitation)
  @HttpCode(200)
  @HashesPassword()
  @Page()
  @FormBody()
  @Operation(USE_INVITATION)
  async accept(
    @Body({ schema: choosePasswordForm }) { new: password, ...link }: ChoosePassword,
    @Res() reply: Reply,
  ): Promise<View> {
    const accept = (): Promise<IssuedAccessCode | undefined> => this.passwords.acceptInvitation(link.token, password);
    return this.pages.confirm('invitation', link, reply, await this.pages.act('invitation', link, reply, accept));
  }

  @Get(RECOVERY_PAGES.unlock)
  @Page()
  @Operation(OPEN_UNLOCK)
  showUnlock(@Query({ schema: linkQuery }) query: LinkQuery, @Res() reply: Reply): Promise<View> {
    return this.pages.show('unlock', query, reply);
  }

  @Post(RECOVERY_PAGES.unlock)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(USE_UNLOCK)
  unlock(@Body({ schema: linkForm }) link: LinkForm, @Res() reply: Reply): Promise<View> {
    return this.pages.finish('unlock', link, reply, () => this.locks.unlock(link.token));
  }

  @Get(RECOVERY_PAGES['not-me'])
  @Page()
  @Operation(OPEN_NOT_ME)
  showNotMe(@Query({ schema: linkQuery }) query: LinkQuery, @Res() reply: Reply): Promise<View> {
    return this.pages.show('not-me', query, reply);
  }

  @Post(RECOVERY_PAGES['not-me'])
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(USE_NOT_ME)
  async report(
    @Body({ schema: linkForm }) link: LinkForm,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<View> {
    const language = this.languageOf(request);
    const outcome = await this.pages.act('not-me', link, reply, () => this.reports.report(link.token, language));
    return reportDonePage(outcome, this.pages.fields('not-me', link, reply));
  }

  private languageOf({ headers }: HttpRequest): Language {
    return requestedLanguage(headers, LANGUAGES) ?? this.messages.defaultLanguage;
  }
}
