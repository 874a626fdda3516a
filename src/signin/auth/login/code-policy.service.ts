import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { AttemptBudget } from '../../../identity/second-factor/attempts/attempt-budget.service.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { isPhishingResistant } from '../../../kernel/principal/amr.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';

/** Decides whether a code may complete or step up a login, or only a passkey may. */
@Injectable()
export class CodePolicy {
  constructor(
    private readonly accounts: Accounts,
    private readonly policy: MfaPolicy,
    private readonly budget: AttemptBudget,
  ) {}

  /**
   * A code that policy does not accept is rejected after the lock, the security stamp and the `jti`, as a wrong code would be.
   * @throws ServiceError `MFA_STATE_CONFLICT`, and as `AttemptBudget.requireAllowed` does
   */
  async requireAccepted(principal: Principal): Promise<void> {
    if (!this.policy.mayDemandPasskey) return;
    // The login has a passkey already, so it resists phishing whatever follows.
    if (principal.kind === 'half' && isPhishingResistant(principal.amr)) return;
    const account = await this.accounts.find(principal.subject);
    if (!account) return;
    const isRejected =
      principal.kind === 'half' ? this.policy.demandsPasskey(account) : this.policy.needsPasskey(account);
    if (!isRejected) return;
    await this.budget.requireAllowed(attemptSubjectOf(principal));
    throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'policy demands a passkey' });
  }
}
