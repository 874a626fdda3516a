import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import type { LogFields } from '../../logging/log-line.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { Random } from '../../random/random.js';
import type { FactorId } from '../second-factor.js';
import { AttemptBudget } from './attempt-budget.service.js';
import {
  type AttemptSubject,
  type FactorState,
  FAILURES_TO_LOCK,
  NO_ACCOUNT,
  type Outcome,
  type Refusal,
  refusalError,
  type TargetSecret,
} from './attempt.js';
import { AttemptMeters } from './attempt-meters.js';

type Done<T> = Extract<Outcome<T>, { readonly kind: 'done' }>;
type Verify<T> = (state: FactorState) => Promise<Outcome<T>>;

/** Every verification of a code, of any factor and on any route: charges an attempt, verifies, then settles and counts. */
@Injectable()
export class Attempts {
  private readonly log: Logger;

  constructor(
    private readonly budget: AttemptBudget,
    private readonly meters: AttemptMeters,
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
    await this.take(id, caller, target);
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
        this.log.debug('Code accepted', { ...fields, offset: outcome.offset });
        return outcome;
      case 'failed': {
        const { reason } = outcome;
        const mostFailures = FAILURES_TO_LOCK;
        this.log.debug('Code rejected', { ...fields, reason, failures: state?.failures, mostFailures });
        await this.budget.fail(caller.subject, id, outcome);
        throw new ServiceError('MFA_CODE_INVALID', { reason });
      }
      case 'refunded': {
        const { refusal } = outcome;
        this.log.debug('Attempt refunded', { method, ...reasonOf(refusal) });
        await this.budget.refund(caller);
        throw await this.budget.refusal(caller, target, refusal);
      }
    }
  }

  private async take(id: string, caller: AttemptSubject, target: TargetSecret): Promise<void> {
    const rejection = await this.budget.take(id, caller, target);
    if (!rejection) return;
    const { refusal, at, failures } = rejection;
    this.log.debug('Code not verified', { ...reasonOf(refusal, at), failures });
    throw refusalError(refusal, caller, at);
  }
}

/** Fields of the log for a refusal at `now`. */
function reasonOf(refusal: Refusal, now = 0): LogFields {
  if (refusal.kind !== 'locked') return { reason: refusal.kind === 'ended' ? refusal.reason : refusal.kind };
  const { until, endsByItself } = refusal.lock;
  return endsByItself
    ? { reason: 'locked', seconds: until - now }
    : { reason: 'locked until an administrator unlocks it' };
}
