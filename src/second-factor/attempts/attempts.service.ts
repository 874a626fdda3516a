import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import type { LogFields } from '../../logging/log-line.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import {
  type TargetSecret,
  type AttemptSubject,
  endedRefusal,
  type Refusal,
  refusalOf,
  refusalError,
  type FactorState,
} from './attempt.js';
import { FAILURES_TO_LOCK, type FailureCounter, isAhead, type Lock, lockOf } from './lock.js';
import { type Failure, Locks } from './locks.service.js';
import { MfaProperties } from '../mfa.properties.js';
import { type CodeMethod, SecondFactorMeters } from './second-factor-meters.service.js';
import { SecondFactorStore } from '../second-factor.store.js';
import type { StepOffset } from '../totp/totp.js';

/** How a paid attempt ended. */
export type Outcome<T> =
  /** `offset`: of the step whose code it was. */
  | { readonly kind: 'done'; readonly result: T; readonly offset?: StepOffset }
  | ({ readonly kind: 'failed' } & Failure)
  /** What the code was for has gone in the meantime. */
  | { readonly kind: 'refunded'; readonly refusal: Refusal };

type Done<T> = Extract<Outcome<T>, { readonly kind: 'done' }>;
type Look<T> = (state: FactorState) => Promise<Outcome<T>>;

export const WRONG_CODE = { kind: 'failed', event: 'MFA_FAILED', reason: 'wrong_code' } as const;
export const REPLAYED = { kind: 'failed', event: 'MFA_REPLAY', reason: 'used_step' } as const;

const NO_ACCOUNT: Refusal = { kind: 'ended', reason: 'no_account' };
const TRIES = 4;

/** For the log, of a refusal at `now`. */
function reasonOf(refusal: Refusal, now: number): LogFields {
  if (refusal.kind !== 'locked') return { reason: refusal.kind === 'ended' ? refusal.reason : refusal.kind };
  const { until, endsByItself } = refusal.lock;
  return endsByItself ? { reason: 'locked', seconds: until - now } : { reason: 'locked until somebody unlocks it' };
}

/** The one budget of guesses that every code of an account is paid from, whoever shows it and wherever. */
@Injectable()
export class Attempts {
  private readonly log: Logger;

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly store: SecondFactorStore,
    private readonly locks: Locks,
    private readonly properties: MfaProperties,
    private readonly meters: SecondFactorMeters,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /**
   * Pays one attempt, which is stored by itself so that no refusal undoes it, and only then has the code looked at. It
   * is given back where `look` throws, or where the code was for something that has gone.
   */
  charge<T>(caller: AttemptSubject, target: TargetSecret, method: CodeMethod, look: Look<T>): Promise<T> {
    return this.meters.counted(method, () => this.chargeAndVerify(caller, target, method, look));
  }

  /** What became of a right code whose use came too late: since the attempt its step was used, or something ended. */
  async resolveLost(tx: Tx, caller: AttemptSubject, target: TargetSecret, step = Infinity): Promise<Outcome<never>> {
    const state = await this.store.stateOf(tx, caller);
    if (state && state.lastUsedStep >= step) return REPLAYED;
    const refusal = endedRefusal(state, caller, target, this.clock.seconds());
    return refusal ? { kind: 'refunded', refusal } : WRONG_CODE;
  }

  /** What to tell a caller whose claim did not hold; `fallback` where it holds by now. */
  async refusal(caller: AttemptSubject, target: TargetSecret | undefined, fallback: Refusal): Promise<ServiceError> {
    const now = this.clock.seconds();
    const state = await this.stateOf(caller);
    return refusalError(
      refusalOf(state, caller, target, now, this.properties.lockoutSchedule) ?? fallback,
      caller,
      now,
    );
  }

  lockOf(counter: FailureCounter): Lock | undefined {
    return lockOf(counter, this.clock.seconds(), this.properties.lockoutSchedule);
  }

  private async chargeAndVerify<T>(
    caller: AttemptSubject,
    target: TargetSecret,
    method: CodeMethod,
    look: Look<T>,
  ): Promise<Done<T>> {
    const id = await this.take(caller, target);
    let state: FactorState | undefined;
    let outcome: Outcome<T>;
    try {
      state = await this.stateOf(caller);
      outcome = state ? await look(state) : { kind: 'refunded', refusal: NO_ACCOUNT };
    } catch (error) {
      await this.refund(caller);
      throw error;
    }
    switch (outcome.kind) {
      case 'done':
        this.log.debug('A code is accepted', { method, factor: target.kind, offset: outcome.offset });
        return outcome;
      case 'failed':
        this.log.debug('A code is refused', {
          method,
          factor: target.kind,
          reason: outcome.reason,
          failures: state?.failures,
          mostFailures: FAILURES_TO_LOCK,
        });
        await this.locks.fail(caller.subject, id, outcome);
        throw new ServiceError('MFA_CODE_INVALID', { reason: outcome.reason });
      case 'refunded':
        this.log.debug('An attempt is given back', { method, ...reasonOf(outcome.refusal, this.clock.seconds()) });
        await this.refund(caller);
        throw await this.refusal(caller, target, outcome.refusal);
    }
  }

  /** Gives the id of the attempt, by which alone it can turn into a lock. */
  private async take(caller: AttemptSubject, target: TargetSecret): Promise<string> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const now = this.clock.seconds();
      const id = this.random.text(16);
      if (await this.work.single((tx) => this.store.takeAttempt(tx, id, caller, target, now))) return id;
      await this.refuse(caller, target, now);
    }
    // Others were quicker every time: their attempts have locked the account, if only for a moment.
    throw new ServiceError('MFA_LOCKED', { retryAfterSeconds: 1, reason: 'busy' });
  }

  /** Throws unless the attempt may be tried again: another one succeeded in between, or the schedule was to be forgotten. */
  private async refuse(caller: AttemptSubject, target: TargetSecret, now: number): Promise<void> {
    const { subject } = caller;
    const state = await this.stateOf(caller);
    const refusal = refusalOf(state, caller, target, now, this.properties.lockoutSchedule);
    if (!refusal) {
      await this.work.single((tx) => this.store.resetLockoutSchedule(tx, subject, now));
      return;
    }
    if (refusal.kind === 'locked' && state && isAhead(state.lastAttemptAt, now)) {
      await this.work.single((tx) => this.store.recordClockSkew(tx, subject, now));
    }
    this.log.debug('No code is looked at', { ...reasonOf(refusal, now), failures: state?.failures });
    throw refusalError(refusal, caller, now);
  }

  private stateOf(caller: AttemptSubject): Promise<FactorState | undefined> {
    return this.work.single((tx) => this.store.stateOf(tx, caller));
  }

  private async refund({ subject }: AttemptSubject): Promise<void> {
    await this.work
      .single((tx) => this.store.refund(tx, subject))
      .catch(() => {
        // A database that is gone cannot take it back: the attempt stays counted, and the first error is the one to tell.
      });
  }
}
