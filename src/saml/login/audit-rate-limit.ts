import { networkOf } from '../../account/throttle/network.js';
import { Budget, type Failures, type Limit, NO_FAILURES } from '../../account/throttle/throttle-limit.js';
import type { Clock } from '../../clock/clock.js';
import { LruMap } from '../../collections/lru-map.js';

/** Rejected messages of one network that are recorded within `WINDOW_MILLIS`. */
export const MAX_RECORDED = 1000;
const WINDOW_MILLIS = 10 * 60_000;
/** Networks that are remembered; the least recently used one is forgotten first. */
const CAPACITY = 10_000;

interface Entry {
  readonly failures: Failures;
  /** When the limit was last logged, in milliseconds since 1970. */
  readonly toldAt: number;
}

/** Whether a rejection is recorded; `first` if it is time to log that no more are. */
export type AuditDecision = 'within' | 'first' | 'beyond';

/**
 * Limits how many events unauthenticated callers can have recorded, in a table that is never emptied. It blocks no request,
 * because one address may be that of a whole company.
 */
export class AuditRateLimit {
  private readonly limit: Limit = new Budget(MAX_RECORDED, WINDOW_MILLIS);
  private readonly entries = new LruMap<string, Entry>(CAPACITY);

  constructor(private readonly clock: Clock) {}

  /** Counts one more rejection from this address. */
  take(address: string): AuditDecision {
    const key = networkOf(address);
    const now = this.clock.millis();
    const { failures, toldAt } = this.entries.get(key) ?? { failures: NO_FAILURES, toldAt: -Infinity };
    // A clock that was set back must not make the limit stricter.
    const count = this.limit.remembered({ ...failures, lastAt: Math.min(failures.lastAt, now) }, now);
    const isWithin = count + 1 <= this.limit.free;
    const isTold = Math.abs(now - toldAt) < WINDOW_MILLIS;
    this.entries.set(key, {
      failures: { count: isWithin ? count + 1 : count, lastAt: now },
      toldAt: isWithin || isTold ? toldAt : now,
    });
    if (isWithin) return 'within';
    return isTold ? 'beyond' : 'first';
  }
}
