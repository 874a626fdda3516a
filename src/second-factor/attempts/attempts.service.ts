import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import type { LogFields } from '../../logging/log-line.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import { type Against, type Claim, endOf, type Refusal, refusalOf, refused, type Standing } from './attempt.js';
import { FAILURES_TO_LOCK, type FailureCounter, isAhead, type Lock, lockOf } from './lock.js';
import { type Failure, Locks } from './locks.service.js';
import { MfaProperties } from '../mfa.properties.js';
import { type CodeMethod, SecondFactorMeters } from './second-factor-meters.js';
import { SecondFactorStore } from '../second-factor.store.js';
import type { StepOffset } from '../totp/totp.js';

/** How a paid attempt ended. */
export type Outcome<T> =
  /** `offset`: of the step whose code it was. */
  | { readonly kind: 'done'; readonly result: T; readonly offset?: StepOffset }
  | ({ readonly kind: 'failed' } & Failure)
  /** What the code was for has gone in the meantime. */
  | { readonly kind: 'void'; readonly refusal: Refusal };

type Done<T> = Extract<Outcome<T>, { readonly kind: 'done' }>;
type Look<T> = (standing: Standing) => Promise<Outcome<T>>;

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
  spend<T>(claim: Claim, against: Against, method: CodeMethod, look: Look<T>): Promise<T> {
    return this.meters.counted(method, () => this.spent(claim, against, method, look));
  }

  /** What became of a right code whose use came too late: since the attempt its step was used, or something ended. */
  async late(tx: Tx, claim: Claim, against: Against, step = Infinity): Promise<Outcome<never>> {
    const standing = await this.store.standing(tx, claim);
    if (standing && standing.lastUsedStep >= step) return REPLAYED;
    const refusal = endOf(standing, claim, against, this.clock.seconds());
    return refusal ? { kind: 'void', refusal } : WRONG_CODE;
  }

  /** What to tell a caller whose claim did not hold; `fallback` where it holds by now. */
  async refusal(claim: Claim, against: Against | undefined, fallback: Refusal): Promise<ServiceError> {
    const now = this.clock.seconds();
    const standing = await this.standing(claim);
    return refused(refusalOf(standing, claim, against, now, this.properties.lockLadder) ?? fallback, claim, now);
  }

  lockOf(counter: FailureCounter): Lock | undefined {
    return lockOf(counter, this.clock.seconds(), this.properties.lockLadder);
  }

  private async spent<T>(claim: Claim, against: Against, method: CodeMethod, look: Look<T>): Promise<Done<T>> {
    const id = await this.pay(claim, against);
    let standing: Standing | undefined;
    let outcome: Outcome<T>;
    try {
      standing = await this.standing(claim);
      outcome = standing ? await look(standing) : { kind: 'void', refusal: NO_ACCOUNT };
    } catch (error) {
      await this.giveBack(claim);
      throw error;
    }
    switch (outcome.kind) {
      case 'done':
        this.log.debug('A code is accepted', { method, factor: against.kind, offset: outcome.offset });
        return outcome;
      case 'failed':
        this.log.debug('A code is refused', {
          method,
          factor: against.kind,
          reason: outcome.reason,
          failures: standing?.failures,
          mostFailures: FAILURES_TO_LOCK,
        });
        await this.locks.fail(claim.subject, id, outcome);
        throw new ServiceError('MFA_CODE_INVALID', { reason: outcome.reason });
      case 'void':
        this.log.debug('An attempt is given back', { method, ...reasonOf(outcome.refusal, this.clock.seconds()) });
        await this.giveBack(claim);
        throw await this.refusal(claim, against, outcome.refusal);
    }
  }

  /** Gives the id of the attempt, by which alone it can turn into a lock. */
  private async pay(claim: Claim, against: Against): Promise<string> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const now = this.clock.seconds();
      const id = this.random.text(16);
      if (await this.work.single((tx) => this.store.takeAttempt(tx, id, claim, against, now))) return id;
      await this.refuse(claim, against, now);
    }
    // Others were quicker every time: their attempts have locked the account, if only for a moment.
    throw new ServiceError('MFA_LOCKED', { retryAfterSeconds: 1, reason: 'busy' });
  }

  /** Throws unless the attempt may be tried again: another one succeeded in between, or the ladder was to be forgotten. */
  private async refuse(claim: Claim, against: Against, now: number): Promise<void> {
    const { subject } = claim;
    const standing = await this.standing(claim);
    const refusal = refusalOf(standing, claim, against, now, this.properties.lockLadder);
    if (!refusal) {
      await this.work.single((tx) => this.store.forgetLadder(tx, subject, now));
      return;
    }
    if (refusal.kind === 'locked' && standing && isAhead(standing.lastAttemptAt, now)) {
      await this.work.single((tx) => this.store.seeLock(tx, subject, now));
    }
    this.log.debug('No code is looked at', { ...reasonOf(refusal, now), failures: standing?.failures });
    throw refused(refusal, claim, now);
  }

  private standing(claim: Claim): Promise<Standing | undefined> {
    return this.work.single((tx) => this.store.standing(tx, claim));
  }

  private async giveBack({ subject }: Claim): Promise<void> {
    await this.work
      .single((tx) => this.store.giveBack(tx, subject))
      .catch(() => {
        // A database that is gone cannot take it back: the attempt stays counted, and the first error is the one to tell.
      });
  }
}
