import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type * as v from 'valibot';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { CredentialWriter } from '../credential-writer.service.js';
import { PasskeyStep } from '../login/passkey-step.service.js';
import { OwnPasskeys } from '../own/own-passkeys.service.js';
import { ADD_PASSKEY, ASSERT_PASSKEY, ASSERTION_OPTIONS, REGISTRATION_OPTIONS } from './auth.openapi.js';
import {
  assertionSchema,
  creationOptionsResponse,
  registrationOptionsSchema,
  registrationSchema,
  requestOptionsResponse,
  toAssertion,
  toRegistration,
} from './passkey.schema.js';
import { toDate, toProofBody } from './presenters.js';
import { passkeyResponse, verifyResponse } from './responses.schema.js';

/** Passkeys as a second factor (http-api section 3; WebAuthn level 3). */
@ApiTag('Second factor')
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@RateLimited('second-factor')
@Controller('2fa/passkeys')
export class PasskeyController {
  constructor(
    private readonly own: OwnPasskeys,
    private readonly step: PasskeyStep,
    private readonly credentials: CredentialWriter,
  ) {}

  @Post('registration/options')
  @Operation(REGISTRATION_OPTIONS)
  @ResponseSchema(creationOptionsResponse)
  registrationOptions(
    @Caller() caller: Principal,
    @Body({ schema: registrationOptionsSchema })
    { pw, code, access_code: accessCode }: v.InferOutput<typeof registrationOptionsSchema>,
  ): Promise<object> {
    return this.own.registrationOptions(caller, { password: pw, code, accessCode });
  }

  @Post()
  @Operation(ADD_PASSKEY)
  @ResponseSchema(passkeyResponse)
  async register(
    @Caller() caller: Principal,
    @Body({ schema: registrationSchema }) { credential, name: label }: v.InferOutput<typeof registrationSchema>,
  ): Promise<v.InferOutput<typeof passkeyResponse>> {
    const { id, name, isSynced, createdAt, backupCodes } = await this.own.register(
      ...([caller, toRegistration(credential), label] as const),
    );
    return {
      ...{ id, synced: isSynced, created_at: toDate(createdAt) },
      ...withoutUndefined({ name, backup_codes: backupCodes }),
    };
  }

  @Post('assertion/options')
  @Operation(ASSERTION_OPTIONS)
  @ResponseSchema(requestOptionsResponse)
  assertionOptions(@Caller() caller: Principal): Promise<object> {
    return this.step.options(caller);
  }

  @Post('assertion')
  @HttpCode(200)
  @Operation(ASSERT_PASSKEY)
  @ResponseSchema(verifyResponse)
  async assert(
    @Caller() caller: Principal,
    @Body({ schema: assertionSchema }) body: v.InferOutput<typeof assertionSchema>,
    @Res() reply: Reply,
  ): Promise<v.InferOutput<typeof verifyResponse>> {
    const { credential, trust_device: trustDevice = false, resource } = body;
    const client = { cookies: reply.cookies, trustDevice };
    const { opened, proof, trustedDevice } = await this.step.prove(caller, toAssertion(credential), client);
    const members = await this.credentials.write(reply, opened, proof.roles, caller.via, resource);
    if (trustedDevice) this.credentials.writeTrustedDevice(reply, trustedDevice);
    return { ...members, ...toProofBody(opened.session.amr, proof) };
  }
}
