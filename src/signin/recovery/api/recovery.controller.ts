import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { type Language, LANGUAGES } from '../../../identity/account/language.js';
import { acceptedLanguage } from '../../../platform/http/page/page-language.js';
import { MessagesProperties } from '../../messages/messages.properties.js';
import { Public } from '../../../kernel/principal/access.decorator.js';
import { toAccessCodeBody } from '../../auth/api/presenters.js';
import type { accessCodeResponse } from '../../auth/api/responses.schema.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, HashesPassword, Operation } from '../../../platform/web/route.decorator.js';
import { LockRecovery } from '../lock-recovery.service.js';
import { NotMeReports } from '../not-me-reports.service.js';
import { PasswordRecovery } from '../password-recovery.service.js';
import { ACCEPT_INVITATION, FORGOT, NOT_ME, RESET, UNLOCK } from './recovery.openapi.js';
import { forgotSchema, linkSchema, newPasswordSchema } from './recovery.schema.js';
import { ResetRequests } from '../reset-requests.task.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** Acts by mailed links (http-api section 6). The token is the only credential, in the body, since URLs are recorded. */
@Public()
@ApiTag('Recovery')
@RateLimited('recovery')
@Controller()
export class RecoveryController {
  constructor(
    private readonly requests: ResetRequests,
    private readonly passwords: PasswordRecovery,
    private readonly locks: LockRecovery,
    private readonly reports: NotMeReports,
    private readonly properties: MessagesProperties,
  ) {}

  @Post('password/forgot')
  @HttpCode(202)
  @Operation(FORGOT)
  async forgot(
    @Body({ schema: forgotSchema }) { id }: InferOutput<typeof forgotSchema>,
    @Headers('accept-language') languages: string | undefined,
  ): Promise<void> {
    await this.requests.add(id, { language: this.languageOf(languages) });
  }

  @Post('password/reset')
  @HashesPassword()
  @HttpCode(204)
  @Operation(RESET)
  async reset(@Body({ schema: newPasswordSchema }) body: InferOutput<typeof newPasswordSchema>): Promise<void> {
    await this.passwords.reset(body.token, body.new);
  }

  @Post('unlock')
  @HttpCode(204)
  @Operation(UNLOCK)
  async unlock(@Body({ schema: linkSchema }) { token }: InferOutput<typeof linkSchema>): Promise<void> {
    await this.locks.unlock(token);
  }

  @Post('invitation')
  @HashesPassword()
  @HttpCode(204)
  @Operation(ACCEPT_INVITATION)
  async accept(
    @Body({ schema: newPasswordSchema }) body: InferOutput<typeof newPasswordSchema>,
    @Res() reply: Reply,
  ): Promise<InferOutput<typeof accessCodeResponse> | undefined> {
    const issued = await this.passwords.acceptInvitation(body.token, body.new);
    if (!issued) return undefined;
    reply.setStatus(200);
    return toAccessCodeBody(issued);
  }

  @Post('account/not-me')
  @HttpCode(204)
  @Operation(NOT_ME)
  async report(
    @Body({ schema: linkSchema }) { token }: InferOutput<typeof linkSchema>,
    @Headers('accept-language') languages: string | undefined,
  ): Promise<void> {
    await this.reports.report(token, this.languageOf(languages));
  }

  private languageOf(header: string | undefined): Language {
    return acceptedLanguage(header, LANGUAGES) ?? this.properties.defaultLanguage;
  }
}
