import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { PasskeyMatch } from '../second-factor.js';
import { AssertionVerifier } from './assertion-verifier.service.js';
import type { PasskeyResponse } from './passkey.js';
import { PasskeyStore } from './passkey.store.js';
import { PasskeyChallengeStore } from './passkey-challenge.store.js';
import { RelyingParty } from './relying-party.service.js';
import { clientDataOf } from './webauthn.js';

/** Why an assertion proves no passkey of an account. */
export type AssertionRejection = 'challenge' | 'unknown_passkey' | 'wrong_passkey';

/** Verifies assertions (WebAuthn level 3, section 7.2): each takes a challenge, and each challenge is taken once. */
@Injectable()
export class PasskeyAssertions {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passkeys: PasskeyStore,
    private readonly challenges: PasskeyChallengeStore,
    private readonly relyingParty: RelyingParty,
    private readonly verifier: AssertionVerifier,
  ) {}

  /** The passkey of the account that made the assertion. Takes the challenge first: a rejected assertion uses it up, too. */
  async verify(
    subject: string,
    { assertion, requestedBy }: PasskeyResponse,
  ): Promise<PasskeyMatch | AssertionRejection> {
    if (!this.relyingParty.isAvailable) return 'unknown_passkey';
    const clientData = clientDataOf(assertion.response.clientDataJSON);
    if (!clientData) return 'wrong_passkey';
    const owner = { subject, requestedBy, purpose: 'assertion' } as const;
    const [isTaken, read] = await this.work.single((tx) =>
      Promise.all([
        this.challenges.take(tx, clientData.challenge, owner),
        // A failed read must not repeat the taking; the passkeys are read again.
        this.passkeys.of(tx, subject).catch(() => undefined),
      ]),
    );
    if (!isTaken) return 'challenge';
    const known = read ?? (await this.work.single((tx) => this.passkeys.of(tx, subject)));
    const passkey = known.find(({ credentialId }) => credentialId === assertion.id);
    if (!passkey) return 'unknown_passkey';
    const verified = await this.verifier.verify(assertion, clientData, passkey);
    if (!verified) return 'wrong_passkey';
    return { passkey, signCount: verified.newCounter, isBackedUp: verified.credentialBackedUp };
  }
}
