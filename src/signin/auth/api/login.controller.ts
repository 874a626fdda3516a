import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { OpenToAllowedOrigins, Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import { PWD } from '../../../kernel/principal/amr.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, HashesPassword, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { loginResponse, secondStepResponse } from './responses.schema.js';
import { toLoginChallengeBody, toProofBody } from './presenters.js';
import { CredentialWriter } from '../credential-writer.service.js';
import { PasswordLogin } from '../login/password-login.service.js';
import { secondStepSchema, tokenLoginSchema } from './login.schema.js';
import { LOGIN, SECOND_STEP } from './auth.openapi.js';
import { SecondStep } from '../login/second-step.service.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** The two steps of a login that ends in tokens (http-api section 2). */
@Public()
@SignInRoute()
@OpenToAllowedOrigins()
@ApiTag('Login')
@RateLimited('sign-in')
@Controller()
export class LoginController {
  constructor(
    private readonly passwordLogin: PasswordLogin,
    private readonly secondStep: SecondStep,
    private readonly credentials: CredentialWriter,
  ) {}

  @Post('login')
  @HashesPassword()
  @HttpCode(200)
  @Operation(LOGIN)
  @ResponseSchema(loginResponse)
  async login(
    @Body({ schema: tokenLoginSchema }) body: InferOutput<typeof tokenLoginSchema>,
    @Res() reply: Reply,
  ): Promise<InferOutput<typeof loginResponse>> {
    const { id, pw, new_pw: newPw } = body;
    const result = await this.passwordLogin.forTokens({ id, pw, newPw }, reply.cookies);
    if (!result.completed) return toLoginChallengeBody(result, result.challenge);
    const { opened, trustedDevice: successor } = result.completed;
    const members = await this.credentials.writeLogin(reply, opened, result.roles, body.resource);
    if (successor) this.credentials.writeTrustedDevice(reply, successor);
    return { mfa_required: false, ...members, amr: PWD };
  }

  @RateLimited('second-factor')
  @Post('login/2fa')
  @HttpCode(200)
  @Operation(SECOND_STEP)
  @ResponseSchema(secondStepResponse)
  async completeLogin(
    @Body({ schema: secondStepSchema }) body: InferOutput<typeof secondStepSchema>,
    @Res() reply: Reply,
  ): Promise<InferOutput<typeof secondStepResponse>> {
    const { mfa_token: mfaToken, code, trust_device: trustDevice = false } = body;
    const client = { cookies: reply.cookies, trustDevice };
    const { opened, proof, trustedDevice } = await this.secondStep.completeLogin(mfaToken, code, client);
    const members = await this.credentials.writeLogin(reply, opened, proof.roles, body.resource);
    if (trustedDevice) this.credentials.writeTrustedDevice(reply, trustedDevice);
    return { ...members, ...toProofBody(opened.session.amr, proof) };
  }
}
