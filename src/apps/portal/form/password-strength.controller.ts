import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { type PasswordHint, Passwords } from '../../../identity/account/password/passwords.service.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { Public } from '../../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { PASSWORD_STRENGTH_PATH } from '../../../signin/auth/page-paths.js';
import { Visitors } from '../home/visitors.service.js';
import { ESTIMATE_PASSWORD } from '../portal.openapi.js';
import { passwordHint, typedPassword } from './forms.schema.js';
import { PageForms } from './page-forms.service.js';

/** Tells the script of a page how strong the password is that its user types; stores nothing. */
@Public()
@ApiTag('Pages')
@RateLimited('recovery')
@Controller(PASSWORD_STRENGTH_PATH)
export class PasswordStrengthController {
  constructor(
    private readonly visitors: Visitors,
    private readonly forms: PageForms,
    private readonly passwords: Passwords,
  ) {}

  /** The form of the page is bound to the session, or else to the browser. */
  @Post()
  @HttpCode(200)
  @ResponseSchema(passwordHint)
  @Operation(ESTIMATE_PASSWORD)
  async estimate(
    @Body({ schema: typedPassword }) { csrf, password, id = '' }: InferOutput<typeof typedPassword>,
    @Res() reply: Reply,
  ): Promise<PasswordHint> {
    const found = await this.visitors.findWithAccount(reply);
    const ofSession = found !== undefined && this.forms.isFrom(found.visitor, csrf);
    if (!ofSession && !this.forms.isFromBrowser(reply, csrf)) {
      throw new ServiceError('CROSS_SITE', { reason: 'form token' });
    }
    return this.passwords.hint(password, ofSession ? found.account : { loginId: id });
  }
}
