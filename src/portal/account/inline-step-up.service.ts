import { Injectable } from '@nestjs/common';
import { CredentialWriter } from '../../auth/credential-writer.service.js';
import { SecondStep } from '../../auth/login/second-step.service.js';
import type { SubmittedProof } from '../../auth/login/submitted-proof.js';
import { Reauthentication } from '../../auth/own/reauthentication.service.js';
import { authenticationFactsOf, type FullPrincipal } from '../../principal/principal.js';
import { MfaPolicy } from '../../second-factor/mfa-policy.service.js';
import type { Reply } from '../../web/cookies.js';
import type { ProofMethods } from './account-form.js';
import type { Confirmation } from './account.schema.js';
import { submittedProof } from './submitted-proof.js';

/** Step-up within the form of a page, so that a user whose last proof is too old is not sent to another page first. */
@Injectable()
export class InlineStepUp {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly secondStep: SecondStep,
    private readonly credentials: CredentialWriter,
  ) {}

  /** True if a form for this caller must ask for a proof. */
  isNeeded(caller: FullPrincipal): boolean {
    return !this.reauthentication.hasFreshMfa(caller);
  }

  /** How a form asks this caller for a proof. */
  async methods(caller: FullPrincipal): Promise<ProofMethods> {
    const methods = this.policy.stepUpMethods(await this.reauthentication.accountOf(caller));
    const hasOnlyBackupCodes = methods.includes('backup_code') && !methods.includes('totp');
    return { hasPasskey: methods.includes('passkey'), code: hasOnlyBackupCodes ? 'backup_code' : 'any' };
  }

  /** The proof in the fields of a form. @throws ServiceError `STEP_UP_REQUIRED` without one, `VALIDATION_FAILED` */
  required(confirmation: Confirmation): SubmittedProof {
    const submitted = submittedProof(confirmation);
    if (!submitted) throw this.reauthentication.stepUpRequired('mfa');
    return submitted;
  }

  /**
   * Proves the second factor if the last proof is too old, and returns the caller with the new one.
   * @throws ServiceError `STEP_UP_REQUIRED` without a proof; as `SecondStep.prove` does
   */
  async prove(caller: FullPrincipal, confirmation: Confirmation, reply: Reply): Promise<FullPrincipal> {
    if (!this.isNeeded(caller)) return caller;
    const { opened, proof } = await this.secondStep.proveBy(caller, this.required(confirmation));
    await this.credentials.write(reply, opened, proof.roles, { via: 'session', kind: caller.kind });
    return { ...caller, ...authenticationFactsOf(opened.session) };
  }
}
