import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import * as v from 'valibot';
import {
  AlsoForResourceServers,
  Caller,
  OpenToAllowedOrigins,
  RequireAmr,
} from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { code, password } from './login.schema.js';
import { toMeBody } from './presenters.js';
import { meResponse, settlementResponse } from './responses.schema.js';
import { CHANGE_PASSWORD, ME, SETTLEMENT } from './auth.openapi.js';
import { CredentialWriter } from '../credential-writer.service.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { OwnPassword } from '../own/own-password.service.js';
import { Reauthentication } from '../own/reauthentication.service.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

const passwordSchema = v.strictObject({ current: password, new: password, code: v.optional(code) });

/** The signed-in user (http-api section 6). */
@ApiTag('Signed-in user', 'Everything here is about the caller.')
@RateLimited('self-service')
@Controller('me')
export class MeController {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly ownPassword: OwnPassword,
    private readonly credentials: CredentialWriter,
  ) {}

  @Get()
  @OpenToAllowedOrigins()
  @Operation(ME)
  @ResponseSchema(meResponse)
  async show(@Caller() caller: FullPrincipal): Promise<v.InferOutput<typeof meResponse>> {
    return toMeBody(caller, await this.reauthentication.accountOf(caller));
  }

  /** The example of a function that asks for the second factor (specification, "Authentication" item 5). */
  @Get('settlement')
  @OpenToAllowedOrigins()
  @AlsoForResourceServers()
  @RequireAmr('otp')
  @Operation(SETTLEMENT)
  @ResponseSchema(settlementResponse)
  settlement(@Caller() { subject, amr }: FullPrincipal): v.InferOutput<typeof settlementResponse> {
    return { sub: subject, amr };
  }

  @Post('password')
  @HttpCode(204)
  @Operation(CHANGE_PASSWORD)
  async changePassword(
    @Caller() caller: FullPrincipal,
    @Body({ schema: passwordSchema }) { code, ...passwords }: v.InferOutput<typeof passwordSchema>,
    @Res() reply: Reply,
  ): Promise<void> {
    const renewed = await this.ownPassword.change(caller, passwords, code);
    if (renewed) this.credentials.writeCookies(reply, renewed);
  }
}
