import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { isPhishingResistant } from '../../../kernel/principal/amr.js';
import { type Principal, requesterOf } from '../../../kernel/principal/principal.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';
import { AttemptBudget } from '../../../identity/second-factor/attempts/attempt-budget.service.js';
import { PasskeyCeremonies } from '../../../identity/second-factor/passkey/passkey-ceremonies.service.js';
import { RelyingParty } from '../../../identity/second-factor/passkey/relying-party.service.js';
import { SecondStep, type SecondStepClient } from './second-step.service.js';
import type { CompletedSecondStep } from './second-step-completion.service.js';

/** The second step, or a step-up, by a passkey (http-api section 3). */
@Injectable()
export class PasskeyStep {
  constructor(
    private readonly relyingParty: RelyingParty,
    private readonly budget: AttemptBudget,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly secondStep: SecondStep,
  ) {}

  /** Options for an assertion. @throws ServiceError `MFA_STATE_CONFLICT`, and as `AttemptBudget.requireAllowed` does */
  async options(caller: Principal): Promise<PublicKeyCredentialRequestOptionsJSON> {
    this.relyingParty.requireAvailable();
    requireOtherFactor(caller);
    const asked = { ...attemptSubjectOf(caller), requestedBy: requesterOf(caller) };
    await this.budget.requireAllowed(asked);
    return this.ceremonies.requestOptions(asked);
  }

  /**
   * Completes a login or steps it up by an assertion.
   * @throws ServiceError as `SecondStep.prove` does; `MFA_STATE_CONFLICT` if passkeys cannot be used
   */
  async prove(
    caller: Principal,
    assertion: AuthenticationResponseJSON,
    client: SecondStepClient,
  ): Promise<CompletedSecondStep> {
    this.relyingParty.requireAvailable();
    requireOtherFactor(caller);
    const response = { assertion, requestedBy: requesterOf(caller) };
    return this.secondStep.prove(caller, { method: 'passkey', response }, client);
  }
}

/** A passkey counts once: after one as the first factor, a code is the second one. */
function requireOtherFactor(caller: Principal): void {
  if (caller.kind !== 'half' || !isPhishingResistant(caller.amr)) return;
  throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'passkey was the first factor' });
}
