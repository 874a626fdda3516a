import { Body, Controller, Delete, HttpCode, Param, Patch } from '@nestjs/common';
import type * as v from 'valibot';
import { Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, Operation } from '../../../platform/web/route.decorator.js';
import { CredentialWriter } from '../credential-writer.service.js';
import { OwnSecondFactor } from '../own/own-second-factor.service.js';
import { REMOVE_AUTHENTICATOR, RENAME_AUTHENTICATOR } from './auth.openapi.js';
import { authenticatorNameSchema } from './login.schema.js';

/** The own authenticators, of every type; `GET /2fa` lists them (http-api section 3). */
@ApiTag('Second factor')
@SecondFactorRoute()
@RateLimited('second-factor')
@Controller('2fa/authenticators')
export class AuthenticatorController {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly credentials: CredentialWriter,
  ) {}

  @Patch(':id')
  @HttpCode(204)
  @Operation(RENAME_AUTHENTICATOR)
  rename(
    @Caller() caller: FullPrincipal,
    @Param('id') id: string,
    @Body({ schema: authenticatorNameSchema }) { name }: v.InferOutput<typeof authenticatorNameSchema>,
  ): Promise<void> {
    return this.own.rename(caller, id, name);
  }

  @Delete(':id')
  @HttpCode(204)
  @Operation(REMOVE_AUTHENTICATOR)
  async remove(@Caller() caller: FullPrincipal, @Param('id') id: string, @Res() reply: Reply): Promise<void> {
    const renewed = await this.own.remove(caller, id);
    if (renewed) this.credentials.writeCookies(reply, renewed);
  }
}
