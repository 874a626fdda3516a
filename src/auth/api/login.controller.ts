import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Public, SignInRoute } from '../../principal/access.decorator.js';
import { PWD } from '../../principal/amr.js';
import { type CookieValues, Cookies, Res, type Reply } from '../../web/cookies.js';
import { ApiTag, Operation, ResponseSchema } from '../../web/route.decorator.js';
import { loginResponse, secondStepResponse } from './responses.schema.js';
import { toChallengeBody, toProofBody } from './presenters.js';
import { DEVICE, TRUSTED_DEVICE } from '../cookies.js';
import { CredentialWriter } from '../credential-writer.service.js';
import { PasswordLogin } from '../password-login.service.js';
import { loginSchema, secondStepSchema } from './login.schema.js';
import { LOGIN, SECOND_STEP } from './auth.openapi.js';
import { type FirstFactorResult, PasswordAuthenticator } from '../password-authenticator.service.js';
import { SecondStep } from '../second-step.service.js';

/** The two steps of a login that ends in tokens (http-api section 2). */
@Public()
@SignInRoute()
@ApiTag('Login')
@Controller()
export class LoginController {
  constructor(
    private readonly passwordStep: PasswordAuthenticator,
    private readonly logins: PasswordLogin,
    private readonly secondStep: SecondStep,
    private readonly handover: CredentialWriter,
  ) {}

  @Post('login')
  @HttpCode(200)
  @Operation(LOGIN)
  @ResponseSchema(loginResponse)
  async login(
    @Body({ schema: loginSchema }) body: InferOutput<typeof loginSchema>,
    @Cookies() cookies: CookieValues,
    @Res() reply: Reply,
  ): Promise<InferOutput<typeof loginResponse>> {
    const { [DEVICE]: device, [TRUSTED_DEVICE]: trustedDevice } = cookies;
    const { id, pw, new_pw: newPw } = body;
    const passed = await this.passwordStep.authenticate({ id, pw, newPw, device }, trustedDevice);
    const completed = await this.logins.complete(passed, 'token');
    if (!completed) return toLoginChallengeBody(passed.next, await this.logins.challenge(passed));
    if (completed.trustedDevice) this.handover.writeTrustedDevice(reply, completed.trustedDevice);
    const members = await this.handover.writeLogin(reply, completed.opened, passed.account.roles);
    return { mfa_required: false, ...members, amr: PWD };
  }

  @Post('login/2fa')
  @HttpCode(200)
  @Operation(SECOND_STEP)
  @ResponseSchema(secondStepResponse)
  async completeLogin(
    @Body({ schema: secondStepSchema }) body: InferOutput<typeof secondStepSchema>,
    @Res() reply: Reply,
  ): Promise<InferOutput<typeof secondStepResponse>> {
    const { mfa_token: mfaToken, code, trust_device: trustDevice = false } = body;
    const { opened, proof, trustedDevice } = await this.secondStep.completeLogin(mfaToken, code, { trustDevice });
    if (trustedDevice) this.handover.writeTrustedDevice(reply, trustedDevice);
    return {
      ...(await this.handover.writeLogin(reply, opened, proof.roles)),
      ...toProofBody(opened.session.amr, proof),
    };
  }
}

function toLoginChallengeBody(
  next: FirstFactorResult['next'],
  { mfaToken, expiresIn }: { mfaToken: string; expiresIn: number },
): InferOutput<typeof loginResponse> {
  return { mfa_required: true, mfa_token: mfaToken, expires_in: expiresIn, ...toChallengeBody(next) };
}
