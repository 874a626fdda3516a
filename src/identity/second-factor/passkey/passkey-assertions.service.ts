import { Injectable } from '@nestjs/common';
import type { VerifiedAuthenticationResponse } from '@simplewebauthn/server';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { PasskeyMatch } from '../second-factor.js';
import type { PasskeyResponse } from './passkey.js';
import { PasskeyStore, type StoredPasskey } from './passkey.store.js';
import { PasskeyChallengeStore } from './passkey-challenge.store.js';
import { RelyingParty } from './relying-party.service.js';
import { type ClientData, clientDataOf, loggedText, userHandleOf, webauthn } from './webauthn.js';

/** Why an assertion proves no passkey of an account. */
export type AssertionRejection = 'challenge' | 'unknown_passkey' | 'wrong_passkey';

/** Verifies assertions (WebAuthn level 3, section 7.2): each takes a challenge, and each challenge is taken once. */
@Injectable()
export class PasskeyAssertions {
  private readonly log: Logger;

  constructor(
    private readonly work: UnitOfWork,
    private readonly passkeys: PasskeyStore,
    private readonly challenges: PasskeyChallengeStore,
    private readonly relyingParty: RelyingParty,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

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
    const verified = await this.verified(assertion, clientData, passkey, subject);
    if (typeof verified === 'string') {
      this.log.debug('The assertion of a passkey is not valid', { why: loggedText(verified) });
      return 'wrong_passkey';
    }
    return { passkey, signCount: verified.newCounter, isBackedUp: verified.credentialBackedUp };
  }

  /** The facts of a valid assertion; for every other one the reason, for the log. */
  private async verified(
    assertion: PasskeyResponse['assertion'],
    { challenge, isCrossOrigin }: ClientData,
    { credentialId, publicKey, isBackupEligible, transports }: StoredPasskey,
    subject: string,
  ): Promise<VerifiedAuthenticationResponse['authenticationInfo'] | string> {
    const { userHandle } = assertion.response;
    if (userHandle !== undefined && userHandle !== userHandleOf(subject)) return 'other user handle';
    if (isCrossOrigin) return 'made in a frame of another origin';
    const { verifyAuthenticationResponse } = await webauthn();
    let result: VerifiedAuthenticationResponse;
    try {
      result = await verifyAuthenticationResponse({
        response: assertion,
        expectedChallenge: challenge,
        expectedOrigin: [...this.relyingParty.origins],
        expectedRPID: this.relyingParty.id,
        requireUserVerification: this.relyingParty.userVerification === 'required',
        credential: {
          id: credentialId,
          publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
          // The statement that stores the counter decides about it.
          counter: 0,
          transports: [...transports],
        },
      });
    } catch (error) {
      return error instanceof Error ? error.message : 'not an assertion';
    }
    if (!result.verified) return 'signature';
    const { authenticationInfo } = result;
    if ((authenticationInfo.credentialDeviceType === 'multiDevice') !== isBackupEligible) {
      return 'backup eligibility changed';
    }
    // No extension is asked for.
    if (authenticationInfo.authenticatorExtensionResults !== undefined) return 'extensions';
    return authenticationInfo;
  }
}
