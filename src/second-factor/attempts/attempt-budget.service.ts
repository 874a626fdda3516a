import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import type { LogFields } from '../../logging/log-line.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { MfaProperties } from '../mfa.properties.js';
import type { FactorId } from '../second-factor.js';
import { SecondFactorStore } from '../second-factor.store.js';
import {
  type AttemptSubject,
  endedRefusal,
  type FactorState,
  type Outcome,
  type Refusal,
  refusalError,
  refusalOf,
  REPLAYED,
  type TargetSecret,
  WRONG_CODE,
} from './attempt.js';
import { type FailureCounter, isAhead, type Lock, lockOf } from './lock.js';

const TRIES = 4;

/** The attempts that an account has left, in its row: taken before a code is verified, refunded where that failed. */
@Injectable()
export class AttemptBudget {
  private readonly log: Logger;

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly store: SecondFactorStore,
    private readonly properties: MfaProperties,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /** Takes one attempt in a transaction of its own; only the attempt with this id can turn into a lock. */
  async take(id: string, caller: AttemptSubject, target: TargetSecret): Promise<void> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const now = this.clock.seconds();
      if (await this.work.single((tx) => this.store.takeAttempt(tx, id, caller, target, now))) return;
      await this.refuse(caller, target, now);
    }
    // Other attempts won every time, and have locked the account at least for a moment.
    throw new ServiceError('MFA_LOCKED', { retryAfterSeconds: 1, reason: 'busy' });
  }

  async refund({ subject }: AttemptSubject): Promise<void> {
    await this.work
      .single((tx) => this.store.refund(tx, subject))
      .catch(() => {
        // Without the database the attempt stays charged, and the first error is the one to report.
      });
  }

  /** Refunds an attempt whose secret or login ended in the meantime, and returns the error for its caller. */
  async refundRefused(
    caller: AttemptSubject,
    target: TargetSecret,
    { method, refusal }: { readonly method: FactorId; readonly refusal: Refusal },
  ): Promise<ServiceError> {
    this.log.debug('An attempt is given back', { method, ...reasonOf(refusal, this.clock.seconds()) });
    await this.refund(caller);
    return this.refusal(caller, target, refusal);
  }

  /** Classifies a correct code that lost the race: replayed step, or ended login. */
  async resolveLost(tx: Tx, caller: AttemptSubject, target: TargetSecret, step = Infinity): Promise<Outcome<never>> {
    const state = await this.store.stateOf(tx, caller);
    if (state && state.lastUsedStep >= step) return REPLAYED;
    const refusal = endedRefusal(state, caller, target, this.clock.seconds());
    return refusal ? { kind: 'refunded', refusal } : WRONG_CODE;
  }

  /** The error for a caller that was refused; `fallback` if the reason has gone by now. */
  async refusal(caller: AttemptSubject, target: TargetSecret | undefined, fallback: Refusal): Promise<ServiceError> {
    const now = this.clock.seconds();
    const state = await this.stateOf(caller);
    const refusal = refusalOf(state, caller, target, now, this.properties.lockoutSchedule);
    return refusalError(refusal ?? fallback, caller, now);
  }

  stateOf(caller: AttemptSubject): Promise<FactorState | undefined> {
    return this.work.single((tx) => this.store.stateOf(tx, caller));
  }

  lockOf(counter: FailureCounter): Lock | undefined {
    return lockOf(counter, this.clock.seconds(), this.properties.lockoutSchedule);
  }

  /** Throws unless the attempt may be tried again: another one succeeded, or the lockout schedule had to be reset. */
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
}

/** Fields of the log for a refusal at `now`. */
function reasonOf(refusal: Refusal, now: number): LogFields {
  if (refusal.kind !== 'locked') return { reason: refusal.kind === 'ended' ? refusal.reason : refusal.kind };
  const { until, endsByItself } = refusal.lock;
  return endsByItself ? { reason: 'locked', seconds: until - now } : { reason: 'locked until somebody unlocks it' };
}
