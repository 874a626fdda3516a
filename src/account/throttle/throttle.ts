import { LruMap } from '../../collections/lru-map.js';
import type { Clock } from '../../clock/clock.js';
import { type Failures, type Limit, NO_FAILURES } from './throttle-limit.js';

/** One of the limits that a try falls under, and whose failures count there. */
export interface Bucket {
  readonly key: string;
  readonly limit: Limit;
}

/** Refused before anything was looked at. */
export class Throttled {
  constructor(
    readonly key: string,
    readonly retryAfterSeconds: number,
  ) {}
}

interface Entry {
  failures: Failures;
  /** Tries that were let in and are not decided yet. */
  pending: number;
  /** Settled at the next decision. */
  decided: PromiseWithResolvers<void> | undefined;
}

/**
 * Slows down guessing. A try that is being looked at counts as a possible failure, so that a burst gets no more of them
 * than a sequence does; those behind it wait for its verdict, so that right passwords are never refused for their number.
 *
 * It is in the memory of this process alone, which is bounded: what was used least recently is forgotten first.
 */
export class Throttle {
  private readonly entries: LruMap<string, Entry>;

  constructor(
    private readonly clock: Clock,
    capacity: number,
  ) {
    this.entries = new LruMap(capacity, ({ pending }) => pending > 0);
  }

  /**
   * Runs one try under all its limits. One that throws has no verdict and counts as nothing. If its error `endsWaits`,
   * such as an outage of the database, the tries behind it fail with it: each of them would meet the outage after it.
   */
  async attempt<T>(
    buckets: readonly Bucket[],
    run: () => Promise<T>,
    isRight: (verdict: T) => boolean,
    endsWaits: (error: unknown) => boolean = () => false,
  ): Promise<T | Throttled> {
    for (let state = this.look(buckets); state !== 'free'; state = this.look(buckets)) {
      if (state instanceof Throttled) return state;
      await state.promise;
    }
    // Nothing is awaited in between: what was looked at is still so.
    const taken = buckets.map((bucket) => ({ ...bucket, entry: this.take(bucket.key) }));
    let verdict: 'right' | 'wrong' | 'none' = 'none';
    let failure: unknown;
    try {
      const result = await run();
      verdict = isRight(result) ? 'right' : 'wrong';
      return result;
    } catch (error) {
      if (endsWaits(error)) failure = error;
      throw error;
    } finally {
      for (const { key, limit, entry } of taken) {
        this.decide(key, limit, entry, verdict);
        if (failure === undefined) entry.decided?.resolve();
        else entry.decided?.reject(failure);
        entry.decided = undefined;
      }
    }
  }

  /** Failures that still count there. */
  remembered({ key, limit }: Bucket): number {
    const entry = this.entries.get(key);
    return entry ? limit.remembered(entry.failures, this.clock.millis()) : 0;
  }

  /** The same with the tries that are in progress, each of which may become a failure. */
  possible(bucket: Bucket): number {
    return this.remembered(bucket) + (this.entries.get(bucket.key)?.pending ?? 0);
  }

  /** Whether one more may be looked at now, must wait for a verdict, or is refused. */
  private look(buckets: readonly Bucket[]): 'free' | PromiseWithResolvers<void> | Throttled {
    const now = this.clock.millis();
    let crowded: Entry | undefined;
    for (const { key, limit } of buckets) {
      const entry = this.entries.get(key);
      if (!entry) continue;
      // A clock that was set back makes no wait longer.
      if (entry.failures.lastAt > now) entry.failures = { ...entry.failures, lastAt: now };
      const wait = limit.waitMillis(entry.failures, now);
      if (wait > 0) return new Throttled(key, Math.ceil(wait / 1000));
      const room = Math.max(1, Math.floor(limit.free - limit.remembered(entry.failures, now)));
      if (entry.pending >= room) crowded ??= entry;
    }
    return crowded ? (crowded.decided ??= Promise.withResolvers()) : 'free';
  }

  private take(key: string): Entry {
    const entry = this.entries.get(key) ?? { failures: NO_FAILURES, pending: 0, decided: undefined };
    entry.pending += 1;
    this.entries.set(key, entry);
    return entry;
  }

  private decide(key: string, limit: Limit, entry: Entry, verdict: 'right' | 'wrong' | 'none'): void {
    const now = this.clock.millis();
    entry.pending -= 1;
    if (verdict === 'wrong') {
      entry.failures = { count: limit.remembered(entry.failures, now) + 1, lastAt: now };
    } else if (verdict === 'right' && limit.isForgottenAtSuccess) {
      entry.failures = NO_FAILURES;
    }
    const isIdle = entry.pending === 0 && limit.remembered(entry.failures, now) === 0;
    if (isIdle && this.entries.get(key) === entry) this.entries.delete(key);
  }
}
