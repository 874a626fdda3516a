import { networkOf } from '../../account/throttle/network.js';
import { Budget, type Failures, type Limit, NO_FAILURES } from '../../account/throttle/throttle-limit.js';
import type { Clock } from '../../clock/clock.js';
import { LruMap } from '../../collections/lru-map.js';

/** Refused messages of one network that are recorded, within `WINDOW_MILLIS`. */
export const MAX_RECORDED = 1000;
const WINDOW_MILLIS = 10 * 60_000;
/** Networks at most; what was used least recently is forgotten first. */
const CAPACITY = 10_000;

interface Entry {
  readonly failures: Failures;
  /** When it was last said that more come than are recorded; milliseconds since 1970. */
  readonly toldAt: number;
}

/** What becomes of a refusal: `first` where it is time to say that no more are recorded. */
export type AuditDecision = 'within' | 'first' | 'beyond';

/**
 * Bounds what strangers can have recorded for good by posting what was never signed. Nobody is refused by it: behind one
 * address there may be all the staff of a house.
 */
export class AuditRateLimit {
  private readonly limit: Limit = new Budget(MAX_RECORDED, WINDOW_MILLIS);
  private readonly entries = new LruMap<string, Entry>(CAPACITY);

  constructor(private readonly clock: Clock) {}

  /** Notes one more of that address. */
  take(address: string): AuditDecision {
    const key = networkOf(address);
    const now = this.clock.millis();
    const { failures, toldAt } = this.entries.get(key) ?? { failures: NO_FAILURES, toldAt: -Infinity };
    // A clock that was set back makes nothing stricter.
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
