import type { Clock } from '../../../kernel/clock/clock.js';
import { DigestMap } from '../../../kernel/collections/digest-map.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../kernel/random/random.js';
import {
  type FailureChange,
  type Failures,
  type Forgetting,
  remembered,
  type SharedFailures,
} from './shared-failures.js';

export const NO_FAILURES: Failures = { count: 0, lastAt: 0 };

/** How failures delay the attempts that follow. */
export abstract class Limit {
  /** Failures without a delay. */
  abstract readonly free: number;
  abstract readonly isForgottenAtSuccess: boolean;
  abstract readonly forgetting: Forgetting;

  /** Milliseconds until the next attempt; 0 or less for now. */
  abstract waitMillis(failures: Failures, now: number): number;

  /** Failures that still count; a fraction if they are forgotten gradually. */
  remembered(failures: Failures, now: number): number {
    return remembered(failures, now, this.forgetting);
  }
}

/**
 * Allows one attempt per delay after the free failures. The delay doubles up to a maximum: guessing takes years, and a user
 * who knows the password waits for seconds. A success forgets all failures, as does some time without another one.
 */
export class GrowingDelay extends Limit {
  readonly isForgottenAtSuccess = true;
  readonly forgetting: Forgetting;

  constructor(
    readonly free: number,
    private readonly firstMillis: number,
    private readonly longestMillis: number,
    forgottenAfterMillis: number,
  ) {
    super();
    this.forgetting = { perMilli: 0, afterMillis: forgottenAfterMillis };
  }

  waitMillis(failures: Failures, now: number): number {
    const doublings = this.remembered(failures, now) - this.free;
    if (doublings < 0) return 0;
    return failures.lastAt + Math.min(this.firstMillis * 2 ** Math.min(doublings, 30), this.longestMillis) - now;
  }
}

/**
 * Allows a number of failures per time for an address, which many users may share; failures are forgotten evenly, one by
 * one. A success forgets none: the owner of one account could otherwise guess at others without limit.
 */
export class Budget extends Limit {
  readonly isForgottenAtSuccess = false;
  readonly forgetting: Forgetting;

  constructor(
    readonly free: number,
    private readonly withinMillis: number,
  ) {
    super();
    // Never more than twice the free failures count: each of them was admitted while fewer did.
    this.forgetting = { perMilli: free / withinMillis, afterMillis: 2 * withinMillis };
  }

  waitMillis(failures: Failures, now: number): number {
    return ((this.remembered(failures, now) - this.free + 1) * this.withinMillis) / this.free;
  }
}

/** Counts like a growing delay but never delays: shows whether a login id is guessed at from many addresses. */
export class Count extends Limit {
  readonly isForgottenAtSuccess = false;
  readonly free = Infinity;
  readonly forgetting: Forgetting;

  constructor(forgottenAfterMillis: number) {
    super();
    this.forgetting = { perMilli: 0, afterMillis: forgottenAfterMillis };
  }

  waitMillis(): number {
    return 0;
  }
}

/** A limit that applies to an attempt, with the key of its failures. */
export interface Bucket {
  readonly key: string;
  readonly limit: Limit;
}

/** An attempt that was rejected without a comparison. */
export class Throttled {
  constructor(
    readonly key: string,
    readonly retryAfterSeconds: number,
  ) {}
}

/** The failures of a key while attempts are pending. */
interface Entry {
  failures: Failures;
  /** Admitted attempts without a verdict. */
  pending: number;
  /** Settled with the next verdict. */
  decided: PromiseWithResolvers<void> | undefined;
}

/**
 * Slows down guessing. A pending attempt counts as a possible failure, so that a burst gets no more comparisons than a
 * sequence; further attempts wait for its verdict, so that correct passwords are never rejected for their number.
 *
 * The failures are in the bounded memory of this process: the least recently used ones are forgotten first, and none while
 * an attempt is pending. Where replicas share a store, each attempt begins with the failures there, and ends once its own are
 * stored; the pending attempts of other replicas are not seen.
 */
export class Throttle {
  private readonly entries = new Map<string, Entry>();
  /** Failures of the keys without pending attempts. */
  private readonly records: DigestMap<keyof Failures>;

  constructor(
    private readonly clock: Clock,
    capacity: number,
    private readonly shared?: SharedFailures,
  ) {
    this.records = new DigestMap(['count', 'lastAt'], capacity, new SystemRandom().text(16));
  }

  /** Takes over what all replicas have counted. */
  async load(keys: readonly string[], tx?: Tx): Promise<void> {
    const found = await this.shared?.read(keys, tx);
    for (const [key, failures = NO_FAILURES] of found ?? []) {
      const entry = this.entries.get(key);
      if (entry) entry.failures = failures;
      else if (failures.count > 0) this.records.set(key, failures);
      else this.records.delete(key);
    }
  }

  /**
   * Runs one attempt under all its limits; `run` learns whether it has waited. An attempt that throws has no verdict and does
   * not count. If its error `endsWaits`, such as an outage of the database, the waiting attempts fail with it: each of them
   * would meet the outage one after the other.
   */
  async attempt<T>(
    buckets: readonly Bucket[],
    run: (hasWaited: boolean) => Promise<T>,
    isRight: (verdict: T) => boolean,
    endsWaits: (error: unknown) => boolean = () => false,
  ): Promise<T | Throttled> {
    let hasWaited = false;
    for (let state = this.look(buckets); state !== 'free'; state = this.look(buckets)) {
      if (state instanceof Throttled) return state;
      await state.promise;
      hasWaited = true;
      await this.load(buckets.map(({ key }) => key));
    }
    // Nothing is awaited in between, so the result of `look` still holds.
    const taken = buckets.map((bucket) => ({ ...bucket, entry: this.take(bucket.key) }));
    let verdict: 'right' | 'wrong' | 'none' = 'none';
    let failure: unknown;
    try {
      const result = await run(hasWaited);
      verdict = isRight(result) ? 'right' : 'wrong';
      return result;
    } catch (error) {
      if (endsWaits(error)) failure = error;
      throw error;
    } finally {
      const changes: FailureChange[] = [];
      for (const { key, limit, entry } of taken) {
        changes.push(...this.decide(key, limit, entry, verdict));
        if (failure === undefined) entry.decided?.resolve();
        else entry.decided?.reject(failure);
        entry.decided = undefined;
      }
      if (changes.length > 0) await this.shared?.save(changes);
    }
  }

  /** Failures of a bucket that still count. */
  remembered({ key, limit }: Bucket): number {
    return limit.remembered(this.failuresOf(key), this.clock.millis());
  }

  /** Failures of a bucket including pending attempts, each of which may become one. */
  possible(bucket: Bucket): number {
    return this.remembered(bucket) + (this.entries.get(bucket.key)?.pending ?? 0);
  }

  /** Decides whether an attempt may run now, must wait for a verdict, or is rejected. */
  private look(buckets: readonly Bucket[]): 'free' | PromiseWithResolvers<void> | Throttled {
    const now = this.clock.millis();
    let crowded: Entry | undefined;
    for (const { key, limit } of buckets) {
      const entry = this.entries.get(key);
      const failures = this.failuresAt(key, now);
      const wait = limit.waitMillis(failures, now);
      if (wait > 0) return new Throttled(key, Math.ceil(wait / 1000));
      const room = Math.max(1, Math.floor(limit.free - limit.remembered(failures, now)));
      if (entry && entry.pending >= room) crowded ??= entry;
    }
    return crowded ? (crowded.decided ??= Promise.withResolvers()) : 'free';
  }

  private failuresOf(key: string): Failures {
    return this.entries.get(key)?.failures ?? this.records.get(key) ?? NO_FAILURES;
  }

  /** A clock that was set back must not extend a wait. */
  private failuresAt(key: string, now: number): Failures {
    const stored = this.failuresOf(key);
    if (stored.lastAt <= now) return stored;
    const failures = { ...stored, lastAt: now };
    const entry = this.entries.get(key);
    if (entry) entry.failures = failures;
    else this.records.set(key, failures);
    return failures;
  }

  private take(key: string): Entry {
    const entry = this.entries.get(key) ?? { failures: this.failuresOf(key), pending: 0, decided: undefined };
    entry.pending += 1;
    this.entries.set(key, entry);
    this.records.delete(key);
    return entry;
  }

  /** Returns what other replicas must know. */
  private decide(
    key: string,
    limit: Limit,
    entry: Entry,
    verdict: 'right' | 'wrong' | 'none',
  ): readonly FailureChange[] {
    const now = this.clock.millis();
    const before = limit.remembered(entry.failures, now);
    const changes: FailureChange[] = [];
    entry.pending -= 1;
    if (verdict === 'wrong') {
      entry.failures = { count: before + 1, lastAt: now };
      changes.push({ key, to: limit.forgetting });
    } else if (verdict === 'right' && limit.isForgottenAtSuccess) {
      entry.failures = NO_FAILURES;
      if (before > 0) changes.push({ key, to: 'none' });
    }
    if (entry.pending === 0) {
      this.entries.delete(key);
      if (limit.remembered(entry.failures, now) > 0) this.records.set(key, entry.failures);
    }
    return changes;
  }
}
