import { Injectable } from '@nestjs/common';
import type { VerifiedAuthenticationResponse } from '@simplewebauthn/server';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { FailedAttempt } from '../attempts/attempt.js';
import type {
  Acceptance,
  ChargedAttempt,
  NamedAuthenticators,
  PasskeyState,
  SecondFactor,
  StoredFactors,
  Verdict,
} from '../second-factor.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { amrOfPasskey, type NewPasskey, type PasskeyResponse } from './passkey.js';
import { PasskeyProperties } from './passkey.properties.js';
import { PasskeyStore, type StoredPasskey } from './passkey.store.js';
import { PasskeyChallengeStore } from './passkey-challenge.store.js';
import { RelyingParty } from './relying-party.service.js';
import { type ClientData, clientDataOf, loggedText, userHandleOf, webauthn } from './webauthn.js';

const WRONG_CHALLENGE = { kind: 'failed', event: 'MFA_FAILED', reason: 'challenge' } as const;
const UNKNOWN_PASSKEY = { kind: 'failed', event: 'MFA_FAILED', reason: 'unknown_passkey' } as const;
const WRONG_PASSKEY = { kind: 'failed', event: 'MFA_FAILED', reason: 'wrong_passkey' } as const;
const FALLEN_COUNTER = { kind: 'failed', event: 'PASSKEY_COUNTER', reason: 'passkey_counter' } as const;

function fallenCounterOf({ id }: StoredPasskey): FailedAttempt {
  return { ...FALLEN_COUNTER, detail: { authenticator: id } };
}

/** Passkeys (WebAuthn level 3): an assertion takes a challenge, and each challenge is taken once. */
@Injectable()
export class PasskeyFactor implements SecondFactor<'passkey'> {
  readonly id = 'passkey';
  readonly failures = [WRONG_CHALLENGE.reason, UNKNOWN_PASSKEY.reason, WRONG_PASSKEY.reason, FALLEN_COUNTER.reason];
  private readonly log: Logger;

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly accounts: SecondFactorStore,
    private readonly passkeys: PasskeyStore,
    private readonly challenges: PasskeyChallengeStore,
    private readonly relyingParty: RelyingParty,
    private readonly properties: PasskeyProperties,
    private readonly events: SecurityEvents,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /** Takes the challenge first: a rejected assertion uses it up, too. */
  async verify({ caller, state, response }: ChargedAttempt<'passkey'>): Promise<Verdict> {
    const { subject } = caller;
    const { assertion, askedBy } = response;
    if (!this.relyingParty.isAvailable) return UNKNOWN_PASSKEY;
    const clientData = clientDataOf(assertion.response.clientDataJSON);
    if (!clientData) return WRONG_PASSKEY;
    const owner = { subject, askedBy, purpose: 'assertion' } as const;
    const [isTaken, read] = await this.work.single((tx) =>
      Promise.all([
        this.challenges.take(tx, clientData.challenge, owner),
        // A failed read must not repeat the taking; the passkeys are read again.
        this.passkeys.of(tx, subject).catch(() => undefined),
      ]),
    );
    if (!isTaken) return WRONG_CHALLENGE;
    const known = read ?? (await this.work.single((tx) => this.passkeys.of(tx, subject)));
    const passkey = known.find(({ credentialId }) => credentialId === assertion.id);
    if (!passkey) return UNKNOWN_PASSKEY;
    const verified = await this.verifiedAssertion(response, clientData, passkey, subject);
    if (typeof verified === 'string') {
      this.log.debug('The assertion of a passkey is not valid', { why: loggedText(verified) });
      return WRONG_PASSKEY;
    }
    const { newCounter: signCount, credentialBackedUp: isBackedUp } = verified;
    return {
      kind: 'acceptable',
      accept: async (tx): Promise<Acceptance> => {
        // The row of the account first, as for every other factor.
        const [isAccepted, isRecorded] = await Promise.all([
          this.accounts.acceptPasskey(tx, caller, state),
          this.recordUse(tx, subject, passkey, { signCount, isBackedUp }),
        ]);
        if (!isAccepted) return { kind: 'lost' };
        if (!isRecorded) return fallenCounterOf(passkey);
        return { kind: 'verified', response: { method: 'passkey', amr: amrOfPasskey(passkey), roles: state.roles } };
      },
    };
  }

  /** Stores a passkey; its own caller has to roll back if the credential is already registered. */
  async enrol(tx: Tx, passkey: NewPasskey): Promise<boolean> {
    return this.passkeys.insert(tx, passkey);
  }

  async discard(tx: Tx, subject: string, { passkeyCount }: NamedAuthenticators): Promise<void> {
    if (passkeyCount === 0) await this.passkeys.deleteAll(tx, subject);
  }

  state({ passkeySince }: StoredFactors): PasskeyState {
    return withoutUndefined({ since: passkeySince ?? undefined });
  }

  /** False if the counter fell and that is rejected: the passkey may have been copied. */
  private async recordUse(
    tx: Tx,
    subject: string,
    { id }: StoredPasskey,
    { signCount, isBackedUp }: { readonly signCount: number; readonly isBackedUp: boolean },
  ): Promise<boolean> {
    const now = this.clock.seconds();
    if (await this.passkeys.recordUse(tx, id, { signCount, isBackedUp, now })) return true;
    if (this.properties.rejectCounter) return false;
    if (!(await this.passkeys.recordFallen(tx, id, { signCount, now }))) return false;
    await this.events.record(tx, { kind: 'PASSKEY_COUNTER', subject, detail: { authenticator: id } });
    return true;
  }

  /** The facts of a valid assertion; for every other one the reason, for the log. */
  private async verifiedAssertion(
    { assertion }: PasskeyResponse,
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
        requireUserVerification: this.properties.userVerification === 'required',
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
