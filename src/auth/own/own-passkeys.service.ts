import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { Injectable } from '@nestjs/common';
import { hasSecondFactor } from '../../account/account.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import { ServiceError } from '../../errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { type Principal, requesterOf } from '../../principal/principal.js';
import type { AddedPasskey } from '../../second-factor/enrolment/authenticators.service.js';
import { Enrolment } from '../../second-factor/enrolment/enrolment.service.js';
import { type CeremonyCaller, PasskeyCeremonies } from '../../second-factor/passkey/passkey-ceremonies.service.js';
import type { Registration } from '../../second-factor/passkey/passkey.js';
import { SecondFactors } from '../../second-factor/second-factors.service.js';
import {
  attemptSubjectOf,
  type CompletedSecondStep,
  type CompleteOptions,
  SecondStep,
} from '../login/second-step.service.js';
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
    private readonly ceremonies: PasskeyCeremonies,
    private readonly enrolment: Enrolment,
    private readonly secondFactors: SecondFactors,
    private readonly secondStep: SecondStep,
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Options for a new passkey. A half-authenticated caller whose account has an authenticator app proves it by `code`, which
   * is charged as any attempt; `password` is that of a full caller without a second factor.
   * @throws ServiceError `MFA_STATE_CONFLICT`, as `EnrolmentAuthorization.require` and `SecondFactors.prove` do
   */
  async registrationOptions(
    caller: Principal,
    { password, code }: { readonly password?: string | undefined; readonly code?: string | undefined } = {},
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    this.ceremonies.requireAvailable();
    const account = await this.authorization.require(caller, 'passkey', password);
    const asked = ceremonyCallerOf(caller);
    const purpose = hasSecondFactor(account) ? 'registration' : 'enrolment';
    const begin = async (tx: Tx): Promise<PublicKeyCredentialCreationOptionsJSON> => {
      await this.events.record(tx, { kind: 'MFA_SETUP', subject: caller.subject, reason: 'passkey' });
      return this.ceremonies.creationOptions(tx, asked, { purpose, loginId: account.loginId });
    };
    if (caller.kind === 'full' || purpose === 'enrolment') return this.work.run(begin);
    if (code === undefined) {
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'code', code: 'required' }] });
    }
    return this.secondFactors.prove({ ...asked, code }, begin);
  }

  /**
   * Stores the passkey of a registration. It proves no possession of it, so the login stays as it is: a half-authenticated
   * caller completes it by an assertion.
   * @throws ServiceError as `PasskeyCeremonies.verifyRegistration` and `Enrolment.addPasskey` do
   */
  async register(caller: Principal, credential: Registration, givenName?: string): Promise<NewOwnPasskey> {
    this.ceremonies.requireAvailable();
    const account = await this.reauthentication.accountOf(caller);
    if (caller.kind === 'half') this.authorization.requireAllowed(caller, account, 'passkey');
    const { purpose, passkey } = await this.ceremonies.verifyRegistration(ceremonyCallerOf(caller), credential);
    const name = givenName ?? passkey.name;
    // The authenticators of a full caller must be those of the request, too.
    const subject = { securityStamp: account.securityStamp, ...attemptSubjectOf(caller) };
    const added = await this.enrolment.addPasskey(subject, { ...passkey, name }, { isFirst: purpose === 'enrolment' });
    return { ...added, isSynced: passkey.isBackupEligible, ...withoutUndefined({ name }) };
  }

  /** Options for an assertion. @throws ServiceError as `PasskeyCeremonies.creationOptions` does */
  async assertionOptions(caller: Principal): Promise<PublicKeyCredentialRequestOptionsJSON> {
    this.ceremonies.requireAvailable();
    return this.ceremonies.requestOptions(ceremonyCallerOf(caller));
  }

  /** Completes a login or steps it up by an assertion. @throws ServiceError as `SecondFactors.prove` does */
  async assert(
    caller: Principal,
    assertion: AuthenticationResponseJSON,
    options?: CompleteOptions,
  ): Promise<CompletedSecondStep> {
    this.ceremonies.requireAvailable();
    return this.secondStep.assert(caller, assertion, options);
  }
}

function ceremonyCallerOf(caller: Principal): CeremonyCaller {
  return { ...attemptSubjectOf(caller), askedBy: requesterOf(caller) };
}
