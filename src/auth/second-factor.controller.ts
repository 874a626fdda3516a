import { Body, Controller, Get, Header, HttpCode, Post } from '@nestjs/common';
import * as v from 'valibot';
import { totpDigits } from '../mfa/submitted-code.js';
import { AlsoHalfAuthenticated, Caller } from '../principal/access.decorator.js';
import type { FullPrincipal, Principal } from '../principal/principal.js';
import { Answer, type Reply } from '../server/cookies.js';
import { proofMembers, stateMembers } from './answers.js';
import { Handover } from './handover.service.js';
import { codeShape, password } from './login.shapes.js';
import { OwnSecondFactor } from './own-second-factor.service.js';
import { SecondStepService } from './second-step.service.js';

const setupShape = v.strictObject({ pw: v.optional(password) });
const confirmShape = v.strictObject({
  code: v.pipe(
    v.string(),
    v.check((typed) => totpDigits(typed) !== undefined, 'format'),
  ),
});

/** Enrolment, second step and step-up (http-api section 3). */
@Controller('2fa')
export class SecondFactorController {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly secondStep: SecondStepService,
    private readonly handover: Handover,
  ) {}

  @Get()
  async show(@Caller() caller: FullPrincipal): Promise<object> {
    const { factors, isDemanded } = await this.own.state(caller);
    return stateMembers(factors, isDemanded);
  }

  @Post('setup')
  @AlsoHalfAuthenticated()
  async setup(
    @Caller() caller: Principal,
    @Body({ schema: setupShape }) { pw }: v.InferOutput<typeof setupShape>,
  ): Promise<object> {
    const { secret, otpauthUri, qr, backupCodes, expiresInSeconds } = await this.own.setup(caller, pw);
    return { secret, otpauth_uri: otpauthUri, qr, backup_codes: backupCodes, expires_in: expiresInSeconds };
  }

  @Get('setup/qr.svg')
  @AlsoHalfAuthenticated()
  @Header('content-type', 'image/svg+xml')
  svg(@Caller() caller: Principal): Promise<string | Buffer> {
    return this.own.qr(caller, 'svg');
  }

  @Get('setup/qr.png')
  @AlsoHalfAuthenticated()
  @Header('content-type', 'image/png')
  png(@Caller() caller: Principal): Promise<string | Buffer> {
    return this.own.qr(caller, 'png');
  }

  @Post('confirm')
  @HttpCode(200)
  @AlsoHalfAuthenticated()
  async confirm(
    @Caller() caller: Principal,
    @Body({ schema: confirmShape }) { code }: v.InferOutput<typeof confirmShape>,
    @Answer() reply: Reply,
  ): Promise<object> {
    const { opened, roles } = await this.own.confirm(caller, code);
    return { state: 'active', amr: opened.session.amr, ...(await this.handover.give(reply, opened, roles)) };
  }

  @Post('verify')
  @HttpCode(200)
  @AlsoHalfAuthenticated()
  async verify(
    @Caller() caller: Principal,
    @Body({ schema: codeShape }) { code }: v.InferOutput<typeof codeShape>,
    @Answer() reply: Reply,
  ): Promise<object> {
    const { opened, proof } = await this.secondStep.prove(caller, code);
    return { ...(await this.handover.give(reply, opened, proof.roles)), ...proofMembers(opened.session.amr, proof) };
  }

  @Post('disable')
  @HttpCode(204)
  async disable(
    @Caller() caller: FullPrincipal,
    @Body({ schema: codeShape }) { code }: v.InferOutput<typeof codeShape>,
  ): Promise<void> {
    await this.own.disable(caller, code);
  }

  @Post('backup-codes')
  async reissue(@Caller() caller: FullPrincipal): Promise<object> {
    return { backup_codes: await this.own.reissue(caller) };
  }
}
