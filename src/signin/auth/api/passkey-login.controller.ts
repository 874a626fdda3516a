import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { SignInChallenges } from '../../../identity/second-factor/passkey/sign-in-challenges.service.js';
import { OpenToAllowedOrigins, Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { CredentialWriter } from '../credential-writer.service.js';
import { PasskeyLogin } from '../login/passkey-login.service.js';
import { PASSKEY_LOGIN, PASSKEY_LOGIN_OPTIONS } from './auth.openapi.js';
import { passkeyLoginSchema, requestOptionsResponse, toAssertion } from './passkey.schema.js';
import { toLoginChallengeBody } from './presenters.js';
import { loginResponse } from './responses.schema.js';

/** A login by passkey alone that ends in tokens (docs/decisions/0118). */
@Public()
@SignInRoute()
@OpenToAllowedOrigins()
@ApiTag('Login')
@RateLimited('sign-in')
@Controller('login/passkey')
export class PasskeyLoginController {
  constructor(
    private readonly challenges: SignInChallenges,
    private readonly login: PasskeyLogin,
    private readonly credentials: CredentialWriter,
  ) {}

  @Post('options')
  @HttpCode(200)
  @Operation(PASSKEY_LOGIN_OPTIONS)
  @ResponseSchema(requestOptionsResponse)
  options(): Promise<object> {
    return this.challenges.options();
  }

  @Post()
  @HttpCode(200)
  @Operation(PASSKEY_LOGIN)
  @ResponseSchema(loginResponse)
  async signIn(
    @Body({ schema: passkeyLoginSchema }) { credential, resource }: InferOutput<typeof passkeyLoginSchema>,
    @Res() reply: Reply,
  ): Promise<InferOutput<typeof loginResponse>> {
    this.challenges.requireEnabled();
    const result = await this.login.forTokens(toAssertion(credential), reply.cookies);
    if (!result.completed) return toLoginChallengeBody(result, result.challenge);
    const { opened } = result.completed;
    const members = await this.credentials.writeLogin(reply, opened, result.roles, resource);
    return { mfa_required: false, ...members, amr: opened.session.amr };
  }
}
