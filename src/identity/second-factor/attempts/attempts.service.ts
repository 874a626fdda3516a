import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { LogFields } from '../../../observability/logging/log-line.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { Random } from '../../../kernel/random/random.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { Acceptance, AcceptableVerdict, FactorId, Verdict, VerifiedResponse } from '../second-factor.js';
import type { StepOffset } from '../totp/totp.js';
import { AttemptBudget } from './attempt-budget.service.js';
import {
  type AttemptSubject,
  type FactorState,
  type FailedAttempt,
  FAILURES_TO_LOCK,
  NO_ACCOUNT,
  type Refusal,
  refusalError,
  type RefundedAttempt,
  type TargetSecret,
} from './attempt.js';
import { AttemptMeters } from './attempt-meters.js';

/** `offset` is the distance of the time step that a TOTP code belongs to. */
interface Done<T> {
  readonly kind: 'done';
  readonly result: T;
  readonly offset?: StepOffset;
}

/** How a charged attempt ended. */
type Outcome<T> = Done<T> | FailedAttempt | RefundedAttempt;

/** A response to verify, and the budget that it is charged to. */
export interface Attempt {
  readonly caller: AttemptSubject;
  readonly target: TargetSecret;
  readonly method: FactorId;
  readonly verify: (state: FactorState) => Promise<Verdict> | Verdict;
}

/** Stores what follows from a verified response, in the transaction that uses it up or is rolled back; see `Complete`. */
type CompleteAttempt<T> = (tx: Tx, response: VerifiedResponse, state: FactorState) => Promise<T>;

/** Every verification of a code or an assertion, on any route: charges an attempt, verifies, then settles and counts. */
@Injectable()
export class Attempts {
  private readonly log: Logger;

  constructor(
    private readonly work: UnitOfWork,
    private readonly budget: AttemptBudget,
    private readonly meters: AttemptMeters,
    private readonly random: Random,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /**
   * Charges one attempt, committed by itself so that no rejection undoes it, and only then verifies the response. Its use
   * and what `complete` stores are one transaction. The attempt is refunded if `verify` throws, if `complete` throws for a
   * response that was not used up by another attempt, or if the secret or the login ended in the meantime.
   */
  charge<T>(attempt: Attempt, complete: CompleteAttempt<T>): Promise<T> {
    return this.meters.counted(attempt.method, () => this.chargeAndVerify(attempt, complete));
  }

  private async chargeAndVerify<T>(attempt: Attempt, complete: CompleteAttempt<T>): Promise<Done<T>> {
    const { caller, target, method } = attempt;
    const id = this.random.text(16);
    let state = await this.take(id, caller, target);
    let outcome: Outcome<T>;
    try {
      state ??= await this.budget.stateOf(caller);
      outcome = state ? await this.verify(attempt, state, complete) : { kind: 'refunded', refusal: NO_ACCOUNT };
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

  /** Rolls back what was stored for a response that is then not accepted. */
  private async verify<T>(attempt: Attempt, state: FactorState, complete: CompleteAttempt<T>): Promise<Outcome<T>> {
    const { caller, target } = attempt;
    const verdict = await attempt.verify(state);
    if (verdict.kind !== 'acceptable') return verdict;
    try {
      return await this.work.run((tx) => this.accept(tx, verdict, (response) => complete(tx, response, state)));
    } catch (error) {
      if (!(error instanceof NotAccepted)) throw error;
      const { acceptance } = error;
      if (acceptance.kind === 'failed') return acceptance;
      return this.budget.resolveLost(caller, target, state, acceptance.step);
    }
  }

  /**
   * Sends what follows from an expected response together with its acceptance, whose statements come first and whose result
   * decides.
   */
  private async accept<T>(
    tx: Tx,
    { accept, expected }: AcceptableVerdict,
    follow: (response: VerifiedResponse) => Promise<T>,
  ): Promise<Done<T>> {
    const early = async (): Promise<{ readonly result: T } | undefined> =>
      expected && { result: await follow(expected) };
    const [accepted, followed] = await Promise.allSettled([accept(tx), early()]);
    if (accepted.status === 'rejected') throw accepted.reason;
    if (accepted.value.kind !== 'verified') throw new NotAccepted(accepted.value);
    if (followed.status === 'rejected') throw followed.reason;
    const { response } = accepted.value;
    const { result } = followed.value ?? { result: await follow(response) };
    return { kind: 'done', result, ...(response.method === 'totp' && { offset: response.offset }) };
  }

  private async take(id: string, caller: AttemptSubject, target: TargetSecret): Promise<FactorState | undefined> {
    const taken = await this.budget.take(id, caller, target);
    if (taken.kind === 'taken') return taken.state;
    const { refusal, at, failures } = taken;
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

/** Rolls back the transaction of a response; caught in this file. */
class NotAccepted extends Error {
  constructor(readonly acceptance: Exclude<Acceptance, { kind: 'verified' }>) {
    super();
  }
}
