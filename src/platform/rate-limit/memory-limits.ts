import type { Clock } from '../../kernel/clock/clock.js';
import { DigestMap } from '../../kernel/collections/digest-map.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { type Charge, countsAt, decide, type LimitVerdict, type WindowCounts } from './sliding-window.js';

/** Maximum number of keys, which take 5 MB; beyond it, the least recently counted one is dropped. */
const CAPACITY = 100_000;

/** The counts of this process: for one replica, and while a shared store does not respond. */
export class MemoryLimits {
  private readonly counts: DigestMap<keyof WindowCounts>;

  constructor(private readonly clock: Clock) {
    this.counts = new DigestMap(['window', 'current', 'previous'], CAPACITY, new SystemRandom().text(16));
  }

  charge(charge: Charge): LimitVerdict {
    const now = this.clock.millis();
    const counts = countsAt(this.counts.get(charge.key), now, charge.windowMillis);
    const verdict = decide(counts, now, charge);
    this.counts.set(charge.key, { ...counts, current: counts.current + verdict.admitted });
    return verdict;
  }
}
