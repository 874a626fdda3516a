import { Injectable } from '@nestjs/common';
import type { VerifiedRegistrationResponse } from '@simplewebauthn/server';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { AttestationPolicy } from './attestation/attestation-policy.service.js';
import { ALGORITHMS } from './cose-key.js';
import { knownModelName } from './known-models.js';
import type { NewPasskey, Registration } from './passkey.js';
import type { CeremonyCaller } from './passkey-ceremonies.service.js';
import { type ChallengePurpose, PasskeyChallengeStore } from './passkey-challenge.store.js';
import { strictAlgorithmOf } from './registration-bytes.js';
import { RelyingParty } from './relying-party.service.js';
import { clientDataOf, loggedText, webauthn } from './webauthn.js';

/** The passkey of a verified registration; `name` is that of the model. */
export type RegisteredPasskey = Omit<NewPasskey, 'id' | 'subject' | 'createdAt'>;

/** Verifies registrations (WebAuthn level 3, section 7.1). */
@Injectable()
export class PasskeyRegistrations {
  private readonly log: Logger;

  constructor(
    private readonly work: UnitOfWork,
    private readonly challenges: PasskeyChallengeStore,
    private readonly policy: AttestationPolicy,
    private readonly relyingParty: RelyingParty,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /**
   * Verifies the response to a challenge for this purpose, `enrolment` for the first authenticator of an account. Takes the
   * challenge first, so that a rejected response uses it up, too.
   * @throws ServiceError `MFA_STATE_CONFLICT` if the caller has no such challenge, `VALIDATION_FAILED`
   */
  async verify(
    { subject, requestedBy, ofStamp }: CeremonyCaller & { readonly ofStamp: number },
    purpose: Exclude<ChallengePurpose, 'assertion'>,
    response: Registration,
  ): Promise<RegisteredPasskey> {
    const clientData = clientDataOf(response.response.clientDataJSON);
    if (!clientData) throw this.invalid('client data');
    const { challenge } = clientData;
    const owner = { subject, requestedBy, ofStamp, purpose };
    if (!(await this.work.single((tx) => this.challenges.take(tx, challenge, owner)))) {
      throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'challenge' });
    }
    const verdict = await this.policy.judge(
      new Uint8Array(Buffer.from(response.response.attestationObject, 'base64url')),
    );
    if (verdict.kind === 'rejected') {
      const { reason } = verdict;
      throw new ServiceError('VALIDATION_FAILED', { reason, errors: [{ field: 'credential', code: 'not_allowed' }] });
    }
    if (clientData.isCrossOrigin) throw this.invalid('made in a frame of another origin');
    const { aaguid, credential, credentialDeviceType, credentialBackedUp } = await this.verified(response, challenge);
    const algorithm = await strictAlgorithmOf(response);
    if (algorithm === undefined) throw this.invalid('bytes that no authenticator sends');
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      algorithm,
      signCount: credential.counter,
      isBackupEligible: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
      aaguid,
      transports: response.response.transports ?? [],
      name: verdict.name ?? knownModelName(aaguid),
    };
  }

  private async verified(
    response: Registration,
    expectedChallenge: string,
  ): Promise<NonNullable<VerifiedRegistrationResponse['registrationInfo']>> {
    const { verifyRegistrationResponse } = await webauthn();
    let result: VerifiedRegistrationResponse;
    try {
      result = await verifyRegistrationResponse({
        response,
        expectedChallenge,
        expectedOrigin: [...this.relyingParty.origins],
        expectedRPID: this.relyingParty.id,
        requireUserVerification: this.relyingParty.userVerification === 'required',
        supportedAlgorithmIDs: [...ALGORITHMS],
      });
    } catch (error) {
      throw this.invalid(error instanceof Error ? error.message : 'not a registration');
    }
    if (!result.registrationInfo) throw this.invalid('attestation');
    return result.registrationInfo;
  }

  private invalid(why: string): ServiceError {
    this.log.debug('The registration of a passkey is not valid', { why: loggedText(why) });
    return new ServiceError('VALIDATION_FAILED', {
      reason: 'wrong_passkey',
      errors: [{ field: 'credential', code: 'invalid' }],
    });
  }
}
