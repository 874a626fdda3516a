import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Public } from '../../principal/access.decorator.js';
import { PWD } from '../../principal/amr.js';
import { type CookieValues, Cookies, Answer, type Reply } from '../../web/cookies.js';
import { Answers } from '../../web/openapi/answers.decorator.js';
import { ApiGroup, Operation } from '../../web/openapi/operation.decorator.js';
import { loginAnswer, secondStepAnswer } from './responses.schema.js';
import { openMembers, proofMembers } from './answers.js';
import { DEVICE, TRUSTED_DEVICE } from '../cookies.js';
import { Handover } from '../handover.service.js';
import { LoginService } from '../login.service.js';
import { loginShape, secondStepShape } from './login.schema.js';
import { LOGIN, SECOND_STEP } from './auth.openapi.js';
import { type PasswordPassed, PasswordStep } from '../password-step.service.js';
import { SecondStepService } from '../second-step.service.js';

/** The two steps of a login that ends in tokens (http-api section 2). */
@Public()
@ApiGroup('Login')
@Controller()
export class LoginController {
  constructor(
    private readonly passwordStep: PasswordStep,
    private readonly logins: LoginService,
    private readonly secondStep: SecondStepService,
    private readonly handover: Handover,
  ) {}

  @Post('login')
  @HttpCode(200)
  @Operation(LOGIN)
  @Answers(loginAnswer)
  async login(
    @Body({ schema: loginShape }) body: InferOutput<typeof loginShape>,
    @Cookies() cookies: CookieValues,
    @Answer() reply: Reply,
  ): Promise<InferOutput<typeof loginAnswer>> {
    const { [DEVICE]: device, [TRUSTED_DEVICE]: trustedDevice } = cookies;
    const { id, pw, new_pw: newPw } = body;
    const passed = await this.passwordStep.pass({ id, pw, newPw, device }, trustedDevice);
    const completed = await this.logins.complete(passed, 'token');
    if (!completed) return challengeMembers(passed.next, await this.logins.challenge(passed));
    if (completed.trustedDevice) this.handover.trust(reply, completed.trustedDevice);
    const members = await this.handover.giveLogin(reply, completed.opened, passed.account.roles);
    return { mfa_required: false, ...members, amr: PWD };
  }

  @Post('login/2fa')
  @HttpCode(200)
  @Operation(SECOND_STEP)
  @Answers(secondStepAnswer)
  async completeLogin(
    @Body({ schema: secondStepShape }) body: InferOutput<typeof secondStepShape>,
    @Answer() reply: Reply,
  ): Promise<InferOutput<typeof secondStepAnswer>> {
    const { mfa_token: mfaToken, code, trust_device: trustDevice = false } = body;
    const { opened, proof, trustedDevice } = await this.secondStep.completeLogin(mfaToken, code, { trustDevice });
    if (trustedDevice) this.handover.trust(reply, trustedDevice);
    return {
      ...(await this.handover.giveLogin(reply, opened, proof.roles)),
      ...proofMembers(opened.session.amr, proof),
    };
  }
}

function challengeMembers(
  next: PasswordPassed['next'],
  { mfaToken, expiresIn }: { mfaToken: string; expiresIn: number },
): InferOutput<typeof loginAnswer> {
  return { mfa_required: true, mfa_token: mfaToken, expires_in: expiresIn, ...openMembers(next) };
}
