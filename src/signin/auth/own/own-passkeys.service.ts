import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { type Principal, requesterOf } from '../../../kernel/principal/principal.js';
import type { AddedPasskey } from '../../../identity/second-factor/enrolment/authenticators.service.js';
import { AttemptBudget } from '../../../identity/second-factor/attempts/attempt-budget.service.js';
import { Enrolment } from '../../../identity/second-factor/enrolment/enrolment.service.js';
import {
  type CeremonyCaller,
  type IssuedChallenge,
  PasskeyCeremonies,
} from '../../../identity/second-factor/passkey/passkey-ceremonies.service.js';
import type { Registration } from '../../../identity/second-factor/passkey/passkey.js';
import type { Proof, SubmittedCode } from '../../../identity/second-factor/second-factor.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { SecondFactors } from '../../../identity/second-factor/second-factors.service.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';
import { SecondStep, type SecondStepClient } from '../login/second-step.service.js';
import type { CompletedSecondStep } from '../login/second-step-completion.service.js';
import { EnrolmentAuthorization } from './enrolment-authorization.service.js';
import { Reauthentication } from './reauthentication.service.js';

/** A new passkey, as its owner sees it. */
export interface NewOwnPasskey extends AddedPasskey {
  readonly name?: string;
  /** True if it may be synced to other devices. */
  readonly isSynced: boolean;
}

/** The own passkeys: their registration, and their use in the second step and for a step-up (http-api section 3). */
@Injectable()
export class OwnPasskeys {
  constructor(
    private readonly authorization: EnrolmentAuthorization,
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly budget: AttemptBudget,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly enrolment: Enrolment,
    private readonly secondFactors: SecondFactors,
    private readonly secondStep: SecondStep,
    private readonly sessions: Sessions,
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Options for a new passkey. A half-authenticated caller whose account has an authenticator app proves it by `code`, which
   * is charged as any attempt; `password` is that of a full caller without a second factor.
   * @throws ServiceError `MFA_STATE_CONFLICT`, as `EnrolmentAuthorization.require`, `AttemptBudget.requireAllowed` and
   * `SecondFactors.prove` do
   */
  async registrationOptions(
    caller: Principal,
    { password, code }: { readonly password?: string | undefined; readonly code?: SubmittedCode | undefined } = {},
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    this.ceremonies.requireAvailable();
    const account = await this.authorization.require(caller, 'passkey', password);
    const asked = { ...ceremonyCallerOf(caller), ofStamp: account.securityStamp };
    const purpose = registrationPurpose(account);
    const begin = async (tx: Tx, proof?: Proof): Promise<IssuedChallenge> => {
      // No other event names the factor of this proof: it completes no login (security-requirements.md, L3).
      const detail = proof && { proved: proof.method };
      const event = { kind: 'MFA_SETUP', subject: caller.subject, reason: 'passkey' } as const;
      await this.events.record(tx, { ...event, ...withoutUndefined({ detail }) });
      return this.ceremonies.challenge(tx, asked, purpose);
    };
    const proves = caller.kind === 'half' && purpose === 'registration';
    if (proves && code === undefined) {
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'code', code: 'required' }] });
    }
    if (!proves) await this.budget.requireAllowed(asked);
    const issued = await (proves && code !== undefined
      ? this.secondFactors.prove(asked, code, begin)
      : this.work.run(begin));
    const { subject } = caller;
    return this.ceremonies.creationOptions({ subject, loginId: account.loginId }, issued);
  }

  /**
   * Stores the passkey of a registration. It proves no possession of it, so the login stays as it is: a half-authenticated
   * caller completes it by an assertion.
   * @throws ServiceError `STEP_UP_REQUIRED` if policy demands a stronger login for this since the options were issued; as
   * `PasskeyCeremonies.verifyRegistration` and `Enrolment.addPasskey` do
   */
  async register(caller: Principal, credential: Registration, givenName?: string): Promise<NewOwnPasskey> {
    this.ceremonies.requireAvailable();
    const account = await this.reauthentication.accountOf(caller);
    if (caller.kind === 'half') this.authorization.requireAllowed(caller, account, 'passkey');
    else this.reauthentication.requireStrength(caller, account);
    const { securityStamp: ofStamp } = account;
    const purpose = registrationPurpose(account);
    const asked = { ...ceremonyCallerOf(caller), ofStamp };
    const passkey = await this.ceremonies.verifyRegistration(asked, purpose, credential);
    const name = givenName ?? passkey.name;
    const isDemanded = account.passkeyCount === 0 && this.policy.demandsPasskey(account);
    const place = purpose === 'enrolment' ? 'first' : caller.kind === 'half' || isDemanded ? 'demanded' : 'further';
    const owner = { ...attemptSubjectOf(caller), ofStamp };
    const added = await this.enrolment.addPasskey(owner, { ...passkey, name }, place, (tx) =>
      this.requireLive(tx, caller),
    );
    return { ...added, isSynced: passkey.isBackupEligible, ...withoutUndefined({ name }) };
  }

  /** True if the registration was completed before, as by a form that is sent again. */
  isRegistered({ subject }: Principal, { id }: Registration): Promise<boolean> {
    return this.ceremonies.isRegistered(subject, id);
  }

  /** Options for an assertion. @throws ServiceError as `PasskeyCeremonies.requireAvailable` and `requestOptions` do */
  async assertionOptions(caller: Principal): Promise<PublicKeyCredentialRequestOptionsJSON> {
    this.ceremonies.requireAvailable();
    const asked = ceremonyCallerOf(caller);
    await this.budget.requireAllowed(asked);
    return this.ceremonies.requestOptions(asked);
  }

  /**
   * Completes a login or steps it up by an assertion.
   * @throws ServiceError as `SecondFactors.prove` does; `MFA_STATE_CONFLICT` if passkeys cannot be used
   */
  async assert(
    caller: Principal,
    assertion: AuthenticationResponseJSON,
    client: SecondStepClient,
  ): Promise<CompletedSecondStep> {
    this.ceremonies.requireAvailable();
    const response = { assertion, askedBy: requesterOf(caller) };
    return this.secondStep.prove(caller, { method: 'passkey', response }, client);
  }

  /** The session must not have ended meanwhile; the row of the account, which ends sessions of others first, is locked. */
  private async requireLive(tx: Tx, caller: Principal): Promise<void> {
    const sid = caller.kind === 'full' ? caller.sid : caller.via === 'session' ? caller.id : undefined;
    if (sid === undefined || (await this.sessions.find(sid, tx))) return;
    throw new ServiceError('INVALID_TOKEN', { reason: 'session ended' });
  }
}

function registrationPurpose(account: Account): 'registration' | 'enrolment' {
  return hasSecondFactor(account) ? 'registration' : 'enrolment';
}

function ceremonyCallerOf(caller: Principal): CeremonyCaller {
  return { ...attemptSubjectOf(caller), askedBy: requesterOf(caller) };
}
