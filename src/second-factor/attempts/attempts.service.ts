import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { Random } from '../../random/random.js';
import type { FactorId } from '../second-factor.js';
import { AttemptBudget } from './attempt-budget.service.js';
import { type AttemptSubject, type FactorState, NO_ACCOUNT, type Outcome, type TargetSecret } from './attempt.js';
import { FAILURES_TO_LOCK } from './lock.js';
import { Locks } from './locks.service.js';
import { SecondFactorMeters } from './second-factor-meters.service.js';

type Done<T> = Extract<Outcome<T>, { readonly kind: 'done' }>;
type Verify<T> = (state: FactorState) => Promise<Outcome<T>>;

/** Every verification of a code of any factor and on any route: charged first, then logged, counted and settled. */
@Injectable()
export class Attempts {
  private readonly log: Logger;

  constructor(
    private readonly budget: AttemptBudget,
    private readonly locks: Locks,
    private readonly meters: SecondFactorMeters,
    private readonly random: Random,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /**
   * Charges one attempt, committed by itself so that no rejection undoes it, and only then verifies the code. The attempt
   * is refunded if `verify` throws, or if the secret or the login ended in the meantime.
   */
  charge<T>(caller: AttemptSubject, target: TargetSecret, method: FactorId, verify: Verify<T>): Promise<T> {
    return this.meters.counted(method, () => this.chargeAndVerify(caller, target, method, verify));
  }

  private async chargeAndVerify<T>(
    caller: AttemptSubject,
    target: TargetSecret,
    method: FactorId,
    verify: Verify<T>,
  ): Promise<Done<T>> {
    const id = this.random.text(16);
    await this.budget.take(id, caller, target);
    let state: FactorState | undefined;
    let outcome: Outcome<T>;
    try {
      state = await this.budget.stateOf(caller);
      outcome = state ? await verify(state) : { kind: 'refunded', refusal: NO_ACCOUNT };
    } catch (error) {
      await this.budget.refund(caller);
      throw error;
    }
    const fields = { method, factor: target.kind };
    switch (outcome.kind) {
      case 'done':
        this.log.debug('A code is accepted', { ...fields, offset: outcome.offset });
        return outcome;
      case 'failed': {
        const { reason } = outcome;
        const mostFailures = FAILURES_TO_LOCK;
        this.log.debug('A code is refused', { ...fields, reason, failures: state?.failures, mostFailures });
        await this.locks.fail(caller.subject, id, outcome);
        throw new ServiceError('MFA_CODE_INVALID', { reason });
      }
      case 'refunded':
        throw await this.budget.refundRefused(caller, target, { method, refusal: outcome.refusal });
    }
  }
}
