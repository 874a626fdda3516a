import { Injectable } from '@nestjs/common';
import type {
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { type AttemptSubject, NO_SECRET } from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import { AttestationPolicy } from './attestation/attestation-policy.service.js';
import { ALGORITHMS } from './cose-key.js';
import { CHALLENGE_SECONDS, type NewPasskey, type Registration } from './passkey.js';
import { PasskeyProperties } from './passkey.properties.js';
import { PasskeyStore } from './passkey.store.js';
import { type ChallengePurpose, PasskeyChallengeStore } from './passkey-challenge.store.js';
import { strictAlgorithmOf } from './registration-bytes.js';
import { RelyingParty } from './relying-party.service.js';
import { clientDataOf, loggedText, webauthn } from './webauthn.js';

/** A login, and the session or `mfa_token` that alone may respond to its challenges. */
export interface CeremonyCaller extends AttemptSubject {
  readonly askedBy: string;
  /** If set, the account must have this security stamp, which a lock raises. */
  readonly ofStamp?: number;
}

/** A new challenge, and the passkeys that the account has. */
export interface IssuedChallenge {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly known: readonly { readonly id: string; readonly transports: AuthenticatorTransport[] }[];
}

/** The passkey of a verified registration; `name` is that of the model. */
export type RegisteredPasskey = Omit<NewPasskey, 'id' | 'subject' | 'createdAt'>;

/** The registration ceremony, and the start of the authentication ceremony (WebAuthn level 3, section 7). */
@Injectable()
export class PasskeyCeremonies {
  private readonly log: Logger;

  constructor(
    private readonly work: UnitOfWork,
    private readonly challenges: PasskeyChallengeStore,
    private readonly passkeys: PasskeyStore,
    private readonly policy: AttestationPolicy,
    private readonly relyingParty: RelyingParty,
    private readonly properties: PasskeyProperties,
    private readonly budget: AttemptBudget,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /** @throws ServiceError `MFA_STATE_CONFLICT` if passkeys cannot be used at all */
  requireAvailable(): void {
    const { unavailability } = this.relyingParty;
    if (unavailability === undefined) return;
    this.log.debug('Passkeys are not available', { why: unavailability });
    throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'passkeys are not available' });
  }

  /**
   * Issues a challenge in the transaction that authorizes it.
   * @throws ServiceError `MFA_LOCKED`, `MFA_STATE_CONFLICT`, and for a login that has ended `MFA_TOKEN_INVALID` or
   * `INVALID_TOKEN`
   */
  async challenge(tx: Tx, caller: CeremonyCaller, purpose: ChallengePurpose): Promise<IssuedChallenge> {
    const challenge = await this.challenges.issue(tx, { ...caller, purpose });
    if (challenge === undefined) throw await this.budget.refusalIn(tx, caller, undefined, NO_SECRET);
    const known = await this.passkeys.of(tx, caller.subject);
    return {
      bytes: new Uint8Array(Buffer.from(challenge, 'base64url')),
      known: known.map(({ credentialId: id, transports }) => ({ id, transports: [...transports] })),
    };
  }

  /** Options for a new passkey (WebAuthn level 3, section 5.1.9). */
  async creationOptions(
    { subject, loginId }: { readonly subject: string; readonly loginId: string },
    { bytes, known }: IssuedChallenge,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await webauthn();
    return generateRegistrationOptions({
      rpID: this.relyingParty.id,
      rpName: this.relyingParty.name,
      userID: new Uint8Array(Buffer.from(subject)),
      userName: loginId,
      userDisplayName: loginId,
      challenge: bytes,
      timeout: CHALLENGE_SECONDS * 1000,
      attestationType: this.properties.attestation,
      excludeCredentials: [...known],
      authenticatorSelection: { residentKey: 'preferred', userVerification: this.properties.userVerification },
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
  }

  /** Options for an assertion of one of the caller's passkeys. @throws ServiceError as `challenge` does */
  async requestOptions(caller: CeremonyCaller): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { bytes, known } = await this.work.run((tx) => this.challenge(tx, caller, 'assertion'));
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID: this.relyingParty.id,
      challenge: bytes,
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification: this.properties.userVerification,
      allowCredentials: [...known],
    });
  }

  /**
   * Verifies the response to a challenge for this purpose, `enrolment` for the first authenticator of an account. Takes the
   * challenge first, so that a rejected response uses it up, too.
   * @throws ServiceError `MFA_STATE_CONFLICT` if the caller has no such challenge, `VALIDATION_FAILED`
   */
  async verifyRegistration(
    { subject, askedBy, ofStamp }: CeremonyCaller & { readonly ofStamp: number },
    purpose: Exclude<ChallengePurpose, 'assertion'>,
    response: Registration,
  ): Promise<RegisteredPasskey> {
    const clientData = clientDataOf(response.response.clientDataJSON);
    if (!clientData) throw this.invalid('client data');
    const { challenge } = clientData;
    const owner = { subject, askedBy, ofStamp, purpose };
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
      name: verdict.name,
    };
  }

  /** True if the account has the passkey with this credential id. */
  async isRegistered(subject: string, credentialId: string): Promise<boolean> {
    const known = await this.work.single((tx) => this.passkeys.of(tx, subject));
    return known.some((passkey) => passkey.credentialId === credentialId);
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
        requireUserVerification: this.properties.userVerification === 'required',
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
