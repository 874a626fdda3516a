import { Injectable } from '@nestjs/common';
import type {
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { type AttemptSubject, NO_SECRET } from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import { ALGORITHMS } from './cose-key.js';
import { CHALLENGE_SECONDS } from './passkey.js';
import { PasskeyStore } from './passkey.store.js';
import { type ChallengePurpose, PasskeyChallengeStore } from './passkey-challenge.store.js';
import { RelyingParty } from './relying-party.service.js';
import { webauthn } from './webauthn.js';

/** A login, and the session or `mfa_token` that alone may respond to its challenges. */
export interface CeremonyCaller extends AttemptSubject {
  readonly requestedBy: string;
  /** If set, the account must have this security stamp, which a lock raises. */
  readonly ofStamp?: number;
}

/** A new challenge, and the passkeys that the account has. */
export interface IssuedChallenge {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly known: readonly { readonly id: string; readonly transports: AuthenticatorTransport[] }[];
}

/** The start of the registration and of the authentication ceremony (WebAuthn level 3, section 7). */
@Injectable()
export class PasskeyCeremonies {
  constructor(
    private readonly work: UnitOfWork,
    private readonly challenges: PasskeyChallengeStore,
    private readonly passkeys: PasskeyStore,
    private readonly relyingParty: RelyingParty,
    private readonly budget: AttemptBudget,
  ) {}

  /**
   * Issues a challenge in the transaction that authorizes it.
   * @throws ServiceError `MFA_LOCKED`, `MFA_STATE_CONFLICT`, and for a login that has ended `MFA_TOKEN_INVALID` or
   * `INVALID_TOKEN`
   */
  async challenge(tx: Tx, caller: CeremonyCaller, purpose: ChallengePurpose): Promise<IssuedChallenge> {
    const challenge = await this.challenges.issue(tx, { ...caller, purpose });
    if (challenge === undefined) throw await this.budget.rejectionErrorIn(tx, caller, undefined, NO_SECRET);
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
      attestationType: this.relyingParty.attestation,
      excludeCredentials: [...known],
      authenticatorSelection: {
        residentKey: this.relyingParty.residentKey,
        userVerification: this.relyingParty.userVerification,
      },
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
      userVerification: this.relyingParty.userVerification,
      allowCredentials: [...known],
    });
  }

  /** True if the account has the passkey with this credential id. */
  async isRegistered(subject: string, credentialId: string): Promise<boolean> {
    const known = await this.work.single((tx) => this.passkeys.of(tx, subject));
    return known.some((passkey) => passkey.credentialId === credentialId);
  }
}
