import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { LogFields } from '../../observability/logging/log-line.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import {
  ACTIVE_SECRET,
  type AttemptSubject,
  type FactorState,
  type FailedAttempt,
  FAILURES_TO_LOCK,
  NO_ACCOUNT,
  type AttemptRejection,
  rejectionError,
  type RefundedAttempt,
  type TargetSecret,
} from './attempts/attempt.js';
import { AttemptBudget, type ChargedBudget, type RejectedCharge } from './attempts/attempt-budget.service.js';
import { AttemptMeters } from './attempts/attempt-meters.js';
import type {
  Acceptance,
  AcceptableVerdict,
  Attempt,
  ChargedAttempt,
  FactorId,
  Proof,
  SecondFactorsById,
  SubmittedProof,
  VerifiedResponse,
} from './second-factor.js';
import type { StepOffset } from './totp/totp.js';

/** Token of the second factors by their ids. */
export const SECOND_FACTORS = Symbol('SECOND_FACTORS');

/** Stores what follows from a proof (see `Complete`); `state` is the account after the charge. */
type CompleteAttempt<T> = (tx: Tx, proof: Proof, state: FactorState) => Promise<T>;

/** `offset` is the distance of the time step that a TOTP code belongs to. */
interface Done<T> {
  readonly kind: 'done';
  readonly result: T;
  readonly offset?: StepOffset;
}

/** How a charged attempt ended. */
type Outcome<T> = Done<T> | FailedAttempt | RefundedAttempt;

/** Every verification of a code or an assertion, on any route: the attempt is charged, verified, accepted and completed. */
@Injectable()
export class SecondFactors {
  private readonly log: Logger;

  constructor(
    @Inject(SECOND_FACTORS) private readonly byId: SecondFactorsById,
    private readonly budget: AttemptBudget,
    private readonly work: UnitOfWork,
    private readonly meters: AttemptMeters,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
    for (const { id, failures } of Object.values(byId)) meters.declare(id, failures);
  }

  /**
   * Charges one attempt, committed by itself so that no rejection undoes it, and only then verifies the code or the
   * assertion. Its use and what `complete` stores are one transaction: all of it or nothing. The attempt is refunded if the
   * verification throws, if `complete` throws for a response that was not used up by another attempt, or if the secret or the
   * login ended in the meantime. With a pending `target`, the code makes the pending secret an active one.
   * @throws ServiceError `MFA_CODE_INVALID`, `MFA_LOCKED`, `MFA_STATE_CONFLICT` if the account has no authenticator, and for a
   * caller whose login has ended `MFA_TOKEN_INVALID` (with a `jti`) or `INVALID_TOKEN`
   */
  async prove<T>(
    caller: AttemptSubject,
    submitted: SubmittedProof,
    complete: CompleteAttempt<T>,
    target: TargetSecret = ACTIVE_SECRET,
  ): Promise<T> {
    const attempt: Attempt = { ...submitted, caller, target };
    try {
      const charge = await this.budget.take(caller, target);
      if (charge.kind === 'rejected') throw this.rejected(caller, charge);
      const outcome = await this.verify(attempt, charge, complete);
      if (outcome.kind === 'failed') throw await this.failed(attempt, charge, outcome);
      if (outcome.kind === 'refunded') throw await this.refunded(attempt, outcome);
      this.log.debug('Code accepted', { ...fieldsOf(attempt), offset: outcome.offset });
      this.meters.countSuccess(attempt.method, outcome.offset);
      return outcome.result;
    } catch (error) {
      this.meters.countFailure(attempt.method, error);
      throw error;
    }
  }

  /** Runs a step before an attempt is charged, and counts its error as the end of an attempt by this method. */
  async beforeAttempt<T>(method: FactorId, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      this.meters.countFailure(method, error);
      throw error;
    }
  }

  /** Refunds the attempt if it ends without a verdict. */
  private async verify<Id extends FactorId, T>(
    attempt: Attempt<Id>,
    charge: ChargedBudget,
    complete: CompleteAttempt<T>,
  ): Promise<Outcome<T>> {
    try {
      const state = charge.state ?? (await this.budget.stateOf(attempt.caller));
      if (!state) return { kind: 'refunded', rejection: NO_ACCOUNT };
      const charged = { ...attempt, state, chargedAt: charge.at };
      const verdict = await this.byId[attempt.method].verify(charged);
      return verdict.kind === 'acceptable' ? await this.accept(charged, verdict, complete) : verdict;
    } catch (error) {
      await this.budget.refund(attempt.caller);
      throw error;
    }
  }

  /** Rolls back what was stored for a response that is then not accepted. */
  private async accept<Id extends FactorId, T>(
    attempt: ChargedAttempt<Id>,
    verdict: AcceptableVerdict<Id>,
    complete: CompleteAttempt<T>,
  ): Promise<Outcome<T>> {
    try {
      return await this.work.run((tx) => this.acceptWithin(tx, attempt, verdict, complete));
    } catch (error) {
      if (!(error instanceof NotAccepted)) throw error;
      const { acceptance } = error;
      if (acceptance.kind === 'failed') return acceptance;
      return this.budget.resolveLost(attempt, acceptance.step);
    }
  }

  /**
   * Sends what follows from an expected response together with its acceptance, whose statements come first and whose result
   * decides.
   */
  private async acceptWithin<Id extends FactorId, T>(
    tx: Tx,
    attempt: ChargedAttempt<Id>,
    { match, expected }: AcceptableVerdict<Id>,
    complete: CompleteAttempt<T>,
  ): Promise<Done<T>> {
    const follow = async (response: VerifiedResponse): Promise<{ readonly result: T }> => ({
      result: await complete(tx, proofOf(response, attempt), attempt.state),
    });
    const [accepted, followed] = await Promise.allSettled([
      this.byId[attempt.method].accept(tx, attempt, match),
      expected && follow(expected),
    ]);
    if (accepted.status === 'rejected') throw accepted.reason;
    if (accepted.value.kind !== 'verified') throw new NotAccepted(accepted.value);
    if (followed.status === 'rejected') throw followed.reason;
    const { response } = accepted.value;
    const { result } = followed.value ?? (await follow(response));
    return { kind: 'done', result, ...(response.method === 'totp' && { offset: response.offset }) };
  }

  private rejected(caller: AttemptSubject, { rejection, at, failures }: RejectedCharge): ServiceError {
    this.log.debug('Code not verified', { ...reasonOf(rejection, at), failures });
    return rejectionError(rejection, caller, at);
  }

  private async failed(attempt: Attempt, charge: ChargedBudget, outcome: FailedAttempt): Promise<ServiceError> {
    const { reason } = outcome;
    const counter = { failures: charge.state?.failures, maxFailures: FAILURES_TO_LOCK };
    this.log.debug('Code rejected', { ...fieldsOf(attempt), reason, ...counter });
    await this.budget.fail(attempt.caller.subject, charge.id, outcome);
    return new ServiceError('MFA_CODE_INVALID', { reason });
  }

  private async refunded({ caller, target, method }: Attempt, { rejection }: RefundedAttempt): Promise<ServiceError> {
    this.log.debug('Attempt refunded', { method, ...reasonOf(rejection) });
    await this.budget.refund(caller);
    return this.budget.rejectionError(caller, target, rejection);
  }
}

function proofOf(verified: VerifiedResponse, { chargedAt }: ChargedAttempt): Proof {
  return { ...verified, provedAt: chargedAt };
}

function fieldsOf({ method, target }: Attempt): LogFields {
  return { method, factor: target.kind };
}

/** Fields of the log for a rejection at `now`. */
function reasonOf(rejection: AttemptRejection, now = 0): LogFields {
  if (rejection.kind !== 'locked') return { reason: rejection.kind === 'ended' ? rejection.reason : rejection.kind };
  const { until, endsByItself } = rejection.lock;
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
