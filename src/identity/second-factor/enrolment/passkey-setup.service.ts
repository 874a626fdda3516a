import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import { type CeremonyCaller, type IssuedChallenge, PasskeyCeremonies } from '../passkey/passkey-ceremonies.service.js';
import type { ChallengePurpose } from '../passkey/passkey-challenge.store.js';
import type { Proof, SubmittedCode } from '../second-factor.js';
import { SecondFactors } from '../second-factors.service.js';

/** A request for a new passkey, which its caller has authorized. */
export interface PasskeyRequest {
  readonly caller: CeremonyCaller;
  readonly loginId: string;
  readonly purpose: Exclude<ChallengePurpose, 'assertion'>;
  /** Proves the second factor first; without it, the caller only must not be locked. */
  readonly code?: SubmittedCode | undefined;
}

/** Begins registrations of passkeys. */
@Injectable()
export class PasskeySetup {
  constructor(
    private readonly ceremonies: PasskeyCeremonies,
    private readonly secondFactors: SecondFactors,
    private readonly budget: AttemptBudget,
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
  ) {}

  /** Options for a new passkey. @throws ServiceError as `AttemptBudget.requireAllowed` and `SecondFactors.prove` do */
  async begin({ caller, loginId, purpose, code }: PasskeyRequest): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { subject } = caller;
    const begin = async (tx: Tx, proof?: Proof): Promise<IssuedChallenge> => {
      // No other event names the factor of this proof: it completes no login (security-requirements.md, L3).
      const detail = proof && { proved: proof.method };
      await this.events.record(tx, { kind: 'MFA_SETUP', subject, reason: 'passkey', ...withoutUndefined({ detail }) });
      return this.ceremonies.challenge(tx, caller, purpose);
    };
    if (!code) await this.budget.requireAllowed(caller);
    const issued = await (code ? this.secondFactors.prove(caller, code, begin) : this.work.run((tx) => begin(tx)));
    return this.ceremonies.creationOptions({ subject, loginId }, issued);
  }

  /** True if the account has the passkey with this credential id. */
  isRegistered(subject: string, credentialId: string): Promise<boolean> {
    return this.ceremonies.isRegistered(subject, credentialId);
  }
}
