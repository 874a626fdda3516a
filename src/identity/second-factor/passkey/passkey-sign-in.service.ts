import { Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { Clock } from '../../../kernel/clock/clock.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { PasskeyMatch } from '../second-factor.js';
import { AssertionVerifier } from './assertion-verifier.service.js';
import { DECOY_KEY } from './decoy-key.js';
import { PasskeyStore } from './passkey.store.js';
import type { AssertionRejection } from './passkey-assertions.service.js';
import { SignInChallenges } from './sign-in-challenges.service.js';
import { clientDataOf } from './webauthn.js';

/** A passkey whose assertion is valid, and the account that it belongs to. */
export interface ProvenPasskey extends PasskeyMatch {
  readonly subject: string;
  /** Epoch seconds. */
  readonly provedAt: number;
  /** True if the authenticator has verified its user by PIN or biometrics, so that the assertion proves two factors. */
  readonly isUserVerified: boolean;
}

/**
 * Sign-in by passkey alone (WebAuthn level 3, section 7.2, for a user who is not identified before). Up to a valid signature,
 * known and unknown credentials take the same statements and the same verification, and no account is read.
 */
@Injectable()
export class PasskeySignIn {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passkeys: PasskeyStore,
    private readonly challenges: SignInChallenges,
    private readonly verifier: AssertionVerifier,
    private readonly clock: Clock,
  ) {}

  /** Takes the challenge first: a rejected assertion uses it up, too. */
  async verify(assertion: AuthenticationResponseJSON): Promise<ProvenPasskey | AssertionRejection> {
    const clientData = clientDataOf(assertion.response.clientDataJSON);
    if (!clientData) return 'wrong_passkey';
    if (!(await this.work.single((tx) => this.challenges.take(tx, clientData.challenge)))) return 'challenge';
    const passkey = await this.work.single((tx) => this.passkeys.find(tx, assertion.id));
    const decoy = { subject: '', credentialId: assertion.id, publicKey: DECOY_KEY, isBackupEligible: false };
    const verified = await this.verifier.verify(assertion, clientData, passkey ?? decoy);
    if (!passkey) return 'unknown_passkey';
    // The user handle is the only statement of the authenticator about the account (section 7.2, step 6).
    if (!verified || assertion.response.userHandle === undefined) return 'wrong_passkey';
    const { newCounter: signCount, credentialBackedUp: isBackedUp, userVerified: isUserVerified } = verified;
    const provedAt = this.clock.seconds();
    return { subject: passkey.subject, provedAt, passkey, signCount, isBackedUp, isUserVerified };
  }
}
