import { Body, Controller, Get, Header, HttpCode, Post } from '@nestjs/common';
import type * as v from 'valibot';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal, Principal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { toProofBody, toFactorStateBody } from './presenters.js';
import {
  confirmResponse,
  backupCodesResponse,
  setupResponse,
  secondFactorStateResponse,
  verifyResponse,
} from './responses.schema.js';
import { CredentialWriter } from '../credential-writer.service.js';
import { codeSchema, confirmSchema, setupSchema, verifySchema } from './login.schema.js';
import { CONFIRM, DISABLE, QR_PNG, QR_SVG, REISSUE, SETUP, SHOW_FACTOR, VERIFY } from './auth.openapi.js';
import { EnrolmentConfirmation } from '../own/enrolment-confirmation.service.js';
import { OwnEnrolment } from '../own/own-enrolment.service.js';
import { OwnSecondFactor } from '../own/own-second-factor.service.js';
import { SecondStep } from '../login/second-step.service.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** Enrolment, second step and step-up (http-api section 3). */
@ApiTag('Second factor', 'The authenticator apps, passkeys and backup codes of the caller.')
@SecondFactorRoute()
@RateLimited('second-factor')
@Controller('2fa')
export class SecondFactorController {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly ownEnrolment: OwnEnrolment,
    private readonly confirmation: EnrolmentConfirmation,
    private readonly secondStep: SecondStep,
    private readonly credentials: CredentialWriter,
  ) {}

  @Get()
  @Operation(SHOW_FACTOR)
  @ResponseSchema(secondFactorStateResponse)
  async show(@Caller() caller: FullPrincipal): Promise<v.InferOutput<typeof secondFactorStateResponse>> {
    return toFactorStateBody(await this.own.state(caller));
  }

  @Post('setup')
  @AlsoHalfAuthenticated()
  @Operation(SETUP)
  @ResponseSchema(setupResponse)
  async setup(
    @Caller() caller: Principal,
    @Body({ schema: setupSchema }) { pw, access_code: accessCode, add, name }: v.InferOutput<typeof setupSchema>,
  ): Promise<v.InferOutput<typeof setupResponse>> {
    const options = { adds: add, name };
    const proofs = { password: pw, accessCode };
    const { secret, otpauthUri, qr, backupCodes, expiresInSeconds } = await this.ownEnrolment.setup(
      caller,
      proofs,
      options,
    );
    const shown = { secret, otpauth_uri: otpauthUri, qr, expires_in: expiresInSeconds };
    return { ...shown, ...withoutUndefined({ backup_codes: backupCodes }) };
  }

  @Get('setup/qr.svg')
  @AlsoHalfAuthenticated()
  @Header('content-type', 'image/svg+xml')
  @Operation(QR_SVG)
  svg(@Caller() caller: Principal): Promise<string | Buffer> {
    return this.ownEnrolment.qr(caller, 'svg');
  }

  @Get('setup/qr.png')
  @AlsoHalfAuthenticated()
  @Header('content-type', 'image/png')
  @Operation(QR_PNG)
  png(@Caller() caller: Principal): Promise<string | Buffer> {
    return this.ownEnrolment.qr(caller, 'png');
  }

  @Post('confirm')
  @HttpCode(200)
  @AlsoHalfAuthenticated()
  @Operation(CONFIRM)
  @ResponseSchema(confirmResponse)
  async confirm(
    @Caller() caller: Principal,
    @Body({ schema: confirmSchema }) { code, resource }: v.InferOutput<typeof confirmSchema>,
    @Res() reply: Reply,
  ): Promise<v.InferOutput<typeof confirmResponse>> {
    const { opened, roles } = await this.confirmation.confirm(caller, code, { cookies: reply.cookies });
    return {
      state: 'active',
      amr: opened.session.amr,
      ...(await this.credentials.write(reply, opened, roles, caller.via, resource)),
    };
  }

  @Post('verify')
  @HttpCode(200)
  @AlsoHalfAuthenticated()
  @Operation(VERIFY)
  @ResponseSchema(verifyResponse)
  async verify(
    @Caller() caller: Principal,
    @Body({ schema: verifySchema }) { code, resource }: v.InferOutput<typeof verifySchema>,
    @Res() reply: Reply,
  ): Promise<v.InferOutput<typeof verifyResponse>> {
    const { opened, proof } = await this.secondStep.prove(caller, code, { cookies: reply.cookies });
    const members = await this.credentials.write(reply, opened, proof.roles, caller.via, resource);
    return { ...members, ...toProofBody(opened.session.amr, proof) };
  }

  @Post('disable')
  @HttpCode(204)
  @Operation(DISABLE)
  async disable(
    @Caller() caller: FullPrincipal,
    @Body({ schema: codeSchema }) { code }: v.InferOutput<typeof codeSchema>,
    @Res() reply: Reply,
  ): Promise<void> {
    const renewed = await this.own.disable(caller, code);
    if (renewed) this.credentials.writeCookies(reply, renewed);
  }

  @Post('backup-codes')
  @Operation(REISSUE)
  @ResponseSchema(backupCodesResponse)
  async reissue(@Caller() caller: FullPrincipal): Promise<v.InferOutput<typeof backupCodesResponse>> {
    return { backup_codes: await this.own.reissueBackupCodes(caller) };
  }
}
