import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { SecurityEvent } from '../../events/security-event.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { ChargedAttempt } from '../second-factor.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { TrustedDeviceStore } from '../trusted-device/trusted-device.store.js';
import {
  type AttemptSubject,
  endedRejection,
  type EndedRejection,
  type FactorState,
  type FailedAttempt,
  type AttemptFailure,
  type FailureCounter,
  isAhead,
  isLastAttempt,
  type LastLock,
  type Lock,
  lockOf,
  NO_SECRET,
  type RefundedAttempt,
  type AttemptRejection,
  rejectionError,
  rejectionOf,
  REPLAYED,
  type TargetSecret,
  WRONG_CODE,
} from './attempt.js';

const TRIES = 4;

/** The charge of an attempt. */
export interface ChargedBudget {
  readonly kind: 'charged';
  /** Id of the attempt. Only the attempt with this id can turn into a lock. */
  readonly id: string;
  /** Epoch seconds. */
  readonly at: number;
  /** The account after the charge; undefined if it has to be read again. */
  readonly state: FactorState | undefined;
}

/** Why no attempt was taken from the budget. */
export interface RejectedCharge {
  readonly kind: 'rejected';
  readonly rejection: AttemptRejection;
  /** Epoch seconds. */
  readonly at: number;
  readonly failures: number | undefined;
}

/** The attempts that an account has left, in its row: taken before a code is verified, refunded if that fails. */
@Injectable()
export class AttemptBudget {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly store: SecondFactorStore,
    private readonly devices: TrustedDeviceStore,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Takes one attempt in a transaction of its own, and reads the account in the same trip to the database. Returns the reason
   * if there is no attempt to take.
   */
  async take(caller: AttemptSubject, target: TargetSecret): Promise<ChargedBudget | RejectedCharge> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const now = this.clock.seconds();
      const [id, state] = await this.work.single((tx) =>
        Promise.all([
          this.store.takeAttempt(tx, caller, target, now),
          // A failed read must not repeat the attempt; the account is read again.
          this.store.stateOf(tx, caller).catch(() => undefined),
        ]),
      );
      if (id !== undefined) return { kind: 'charged', id, at: now, state };
      const rejection = await this.reject(caller, target, now, state);
      if (rejection) return rejection;
    }
    // Other attempts won every time, and have locked the account at least for a moment.
    throw new ServiceError('MFA_LOCKED', { retryAfterSeconds: 1, reason: 'busy' });
  }

  /** Gives back an attempt that did not reach a verdict. */
  async refund({ subject }: AttemptSubject): Promise<void> {
    await this.work
      .single((tx) => this.store.refund(tx, subject))
      .catch(() => {
        // Without the database the attempt stays charged, and the first error is the one to report.
      });
  }

  /** Records an attempt that failed; the attempt that begins a lock also ends the trust in all devices. */
  async fail(subject: string, attemptId: string, { event: kind, reason, detail }: AttemptFailure): Promise<void> {
    await this.work.run(async (tx) => {
      const [isLocked] = await Promise.all([
        this.store.lock(tx, subject, attemptId),
        this.events.record(tx, { kind, subject, result: 'refused', reason, ...withoutUndefined({ detail }) }),
      ]);
      if (!isLocked) return;
      await this.devices.deleteAll(tx, subject);
      await this.events.record(tx, { kind: 'MFA_LOCKED', subject, result: 'refused' });
    });
  }

  /**
   * Classifies a correct response that lost the race: replayed step, ended login, or authenticators that changed. Called after
   * its transaction was rolled back, which may have stored what would have followed from it.
   */
  async resolveLost(
    { caller, target, state: before }: ChargedAttempt,
    step = Infinity,
  ): Promise<FailedAttempt | RefundedAttempt> {
    const state = await this.stateOf(caller);
    if (state && state.lastUsedStep >= step) return REPLAYED;
    const rejection =
      endedRejection(state, caller, target, this.clock.seconds()) ??
      (state?.securityStamp === before.securityStamp ? undefined : NO_SECRET);
    return rejection ? { kind: 'refunded', rejection } : WRONG_CODE;
  }

  /** The error for a rejected caller; `fallback` is the reason if the account no longer has one. */
  rejectionError(
    caller: AttemptSubject,
    target: TargetSecret | undefined,
    fallback: EndedRejection,
  ): Promise<ServiceError> {
    return this.work.single((tx) => this.rejectionErrorIn(tx, caller, target, fallback));
  }

  /** Like `rejectionError`, within a unit of work. */
  async rejectionErrorIn(
    tx: Tx,
    caller: AttemptSubject,
    target: TargetSecret | undefined,
    fallback: EndedRejection,
  ): Promise<ServiceError> {
    const now = this.clock.seconds();
    const state = await this.store.stateOf(tx, caller);
    return rejectionError(rejectionOf(state, caller, target, now, this.store.lockoutSchedule) ?? fallback, caller, now);
  }

  /**
   * Rejects a caller who could not make an attempt now, and charges none.
   * @throws ServiceError `MFA_LOCKED`, and for a login that has ended `MFA_TOKEN_INVALID` or `INVALID_TOKEN`
   */
  async requireAllowed(caller: AttemptSubject): Promise<void> {
    const now = this.clock.seconds();
    const state = await this.stateOf(caller);
    const rejection = rejectionOf(state, caller, undefined, now, this.store.lockoutSchedule);
    if (!rejection) return;
    await this.recordClockSkew(caller, rejection, state, now);
    throw rejectionError(rejection, caller, now);
  }

  stateOf(caller: AttemptSubject): Promise<FactorState | undefined> {
    return this.work.single((tx) => this.store.stateOf(tx, caller));
  }

  /** True if attempts are accepted now, and the next one locks the account if it fails. */
  async isLast(subject: string): Promise<boolean> {
    const state = await this.stateOf({ subject });
    return state !== undefined && isLastAttempt(state, this.clock.seconds(), this.store.lockoutSchedule);
  }

  lockOf(counter: FailureCounter): Lock | undefined {
    return lockOf(counter, this.clock.seconds(), this.store.lockoutSchedule);
  }

  /** Seconds until the lock ends; Infinity if only an administrator can end it. */
  secondsUntil({ until, endsByItself }: Lock): number {
    return endsByItself ? Math.max(1, Math.ceil(until - this.clock.seconds())) : Infinity;
  }

  /** The latest lock of an account; undefined if it was ended, or the account had none. */
  async lastLock(tx: Tx, subject: string): Promise<LastLock | undefined> {
    const state = await this.store.stateOf(tx, { subject });
    if (!state || state.failures === 0 || state.lockLevel === 0) return undefined;
    return { id: `${state.lockLevel}.${state.lastAttemptAt}`, isInForce: this.lockOf(state) !== undefined };
  }

  /**
   * Ends the lock of an account on behalf of an administrator; false if the account has no failures. `admit` runs first in
   * the same transaction.
   */
  unlock(subject: string, actor: string, admit?: (tx: Tx) => Promise<unknown>): Promise<boolean> {
    return this.work.run(async (tx) => {
      await admit?.(tx);
      return this.endLock(tx, subject, { actor });
    });
  }

  /** Ends the lock in the transaction of the act that permits it; false if the account has no failures. */
  async endLock(tx: Tx, subject: string, by: Pick<SecurityEvent, 'actor' | 'reason'>): Promise<boolean> {
    const isUnlocked = await this.store.unlock(tx, subject);
    if (isUnlocked) await this.events.record(tx, { kind: 'MFA_UNLOCKED', subject, ...by });
    return isUnlocked;
  }

  /** Undefined if the attempt can be tried again: another attempt succeeded, or the lockout schedule had to be reset. */
  private async reject(
    caller: AttemptSubject,
    target: TargetSecret,
    now: number,
    known: FactorState | undefined,
  ): Promise<RejectedCharge | undefined> {
    const { subject } = caller;
    const state = known ?? (await this.stateOf(caller));
    const rejection = rejectionOf(state, caller, target, now, this.store.lockoutSchedule);
    if (!rejection) {
      await this.work.single((tx) => this.store.resetLockoutSchedule(tx, subject, now));
      return undefined;
    }
    await this.recordClockSkew(caller, rejection, state, now);
    return { kind: 'rejected', rejection, at: now, failures: state?.failures };
  }

  /** A lock that seems to begin in the future ends for this process, too, counted from now. */
  private async recordClockSkew(
    { subject }: AttemptSubject,
    rejection: AttemptRejection,
    state: FactorState | undefined,
    now: number,
  ): Promise<void> {
    if (rejection.kind !== 'locked' || !state || !isAhead(state.lastAttemptAt, now)) return;
    await this.work.single((tx) => this.store.recordClockSkew(tx, subject, now));
  }
}
