import { Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON, VerifiedAuthenticationResponse } from '@simplewebauthn/server';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { NewPasskey } from './passkey.js';
import { RelyingParty } from './relying-party.service.js';
import { type ClientData, loggedText, userHandleOf, webauthn } from './webauthn.js';

/** What an assertion is verified with. */
export type VerificationKey = Pick<NewPasskey, 'subject' | 'credentialId' | 'publicKey' | 'isBackupEligible'>;

/** The facts of a valid assertion. */
export type AssertionFacts = VerifiedAuthenticationResponse['authenticationInfo'];

/** Verifies the bytes of an assertion with the key of a passkey (WebAuthn level 3, section 7.2), whatever asked for it. */
@Injectable()
export class AssertionVerifier {
  private readonly log: Logger;

  constructor(
    private readonly relyingParty: RelyingParty,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /** Undefined for every assertion that is not valid; the log has the reason. */
  async verify(
    assertion: AuthenticationResponseJSON,
    clientData: ClientData,
    key: VerificationKey,
  ): Promise<AssertionFacts | undefined> {
    const verified = await this.verified(assertion, clientData, key);
    if (typeof verified !== 'string') return verified;
    this.log.debug('The assertion of a passkey is not valid', { why: loggedText(verified) });
    return undefined;
  }

  /** The reason, for an assertion that is not valid. */
  private async verified(
    assertion: AuthenticationResponseJSON,
    { challenge, isCrossOrigin }: ClientData,
    { subject, credentialId, publicKey, isBackupEligible }: VerificationKey,
  ): Promise<AssertionFacts | string> {
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
        },
      });
    } catch (error) {
      return error instanceof Error ? error.message : 'not an assertion';
    }
    if (!result.verified) return 'signature';
    const { authenticationInfo } = result;
    const { userHandle } = assertion.response;
    // After the signature, so that the time of a forged assertion discloses no user handle.
    if (userHandle !== undefined && userHandle !== userHandleOf(subject)) return 'other user handle';
    if ((authenticationInfo.credentialDeviceType === 'multiDevice') !== isBackupEligible) {
      return 'backup eligibility changed';
    }
    // No extension is asked for.
    if (authenticationInfo.authenticatorExtensionResults !== undefined) return 'extensions';
    return authenticationInfo;
  }
}
