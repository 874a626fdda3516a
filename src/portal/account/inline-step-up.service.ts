import { Injectable } from '@nestjs/common';
import { CredentialWriter } from '../../auth/credential-writer.service.js';
import { SecondStep } from '../../auth/login/second-step.service.js';
import { Reauthentication } from '../../auth/own/reauthentication.service.js';
import { authenticationFactsOf, type FullPrincipal } from '../../principal/principal.js';
import type { Reply } from '../../web/cookies.js';

/** Step-up within the form of a page, so that a user whose last proof is too old is not sent to another page first. */
@Injectable()
export class InlineStepUp {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly secondStep: SecondStep,
    private readonly credentials: CredentialWriter,
  ) {}

  /** True if a form for this caller must ask for a code. */
  isNeeded(caller: FullPrincipal): boolean {
    return !this.reauthentication.hasFreshMfa(caller);
  }

  /**
   * Proves the second factor if the last proof is too old, and returns the caller with the new one.
   * @throws ServiceError `STEP_UP_REQUIRED` without a code; as `SecondStep.prove` does
   */
  async prove(caller: FullPrincipal, code: string | undefined, reply: Reply): Promise<FullPrincipal> {
    if (!this.isNeeded(caller)) return caller;
    if (code === undefined || code === '') throw this.reauthentication.stepUpRequired('mfa');
    const { opened, proof } = await this.secondStep.prove(caller, code);
    await this.credentials.write(reply, opened, proof.roles, { via: 'session', kind: caller.kind });
    return { ...caller, ...authenticationFactsOf(opened.session) };
  }
}
