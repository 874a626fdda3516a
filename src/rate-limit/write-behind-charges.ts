import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../clock/clock.js';
import { ChargeQueue } from './charge-queue.js';
import type { Charge, Verdict } from './sliding-window.js';

/** A limit of which at most so much is used admits a request before its hit is stored. */
const USED_PART = 1 / 2;
/** A process has at most this part of a quota admitted and not yet stored. */
const LEAD_PART = 1 / 64;
/** Hits are stored this often. */
const STORE_MILLIS = 50;
/** The count of a key is read again when it is so many intervals old. */
const MAX_AGE = 4;

/** One hit of a limit. */
export type Hit = Omit<Charge, 'hits'>;

/** What this process knows about a key that it has counted a moment ago. */
interface Use {
  hit: Hit;
  /** Stored hits of all replicas, when the store last told them. */
  stored: number;
  /** Intervals since then. */
  age: number;
  /** Admitted hits that wait to be sent to the store, and those on their way to it. */
  waiting: number;
  sent: number;
}

/**
 * Charges of a store where each costs a commit. While a limit is far from used up, a request waits for no commit: it is
 * admitted by the count of a moment ago, or by a read, and its hit is stored behind the response. Near the limit, every charge
 * waits for the store, so that replicas admit exactly the quota together.
 *
 * Up to 32 replicas have less admitted ahead than the unused half, so they exceed a quota only if the other half
 * is used within the fraction of a second that a count is old: by 1/64 of the quota for each replica at most
 * (decision 0078).
 */
export class WriteBehindCharges {
  private readonly inBackground = AsyncLocalStorage.snapshot();
  private readonly uses = new Map<string, Use>();
  private readonly charges: ChargeQueue;
  /** Reads have a queue of their own, since they must not wait for the commit of a batch. */
  private readonly reads: ChargeQueue;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    send: (charges: readonly Charge[]) => Promise<readonly Verdict[]>,
    private readonly clock: Clock,
  ) {
    this.charges = new ChargeQueue(send);
    this.reads = new ChargeQueue(send);
  }

  async charge(hit: Hit): Promise<Verdict> {
    // A quota too small for a lead needs no read before the charge.
    if (leadOf(hit) >= 1) {
      const use = this.uses.get(hit.key) ?? this.learn(hit, await this.reads.charge({ ...hit, hits: 0 }));
      const verdict = this.admitAhead(use, hit);
      if (verdict) return verdict;
      // In the same batch, and before this hit, so that a burst at one process gets exactly the quota.
      if (use.waiting > 0) void this.store(use);
    }
    const verdict = await this.charges.charge({ ...hit, hits: 1 });
    if (leadOf(hit) >= 1) this.learn(hit, verdict);
    return verdict;
  }

  /** Sends all hits that wait, and ends once the store has them. */
  async flush(): Promise<void> {
    await Promise.all([...this.uses.values()].filter(({ waiting }) => waiting > 0).map((use) => this.store(use)));
  }

  private admitAhead(use: Use, { quota, windowMillis }: Hit): Verdict | undefined {
    const ahead = use.waiting + use.sent + 1;
    const used = use.stored + ahead;
    if (ahead > quota * LEAD_PART || used > quota * USED_PART) return undefined;
    use.waiting += 1;
    return {
      admitted: 1,
      remaining: quota - used,
      resetMillis: windowMillis - (this.clock.millis() % windowMillis),
      retryMillis: 0,
    };
  }

  private learn(hit: Hit, { remaining }: Verdict): Use {
    const known = this.uses.get(hit.key);
    const stored = hit.quota - remaining;
    if (known) {
      // A read that began before the last charge does not know its hits.
      known.stored = known.age === 0 ? Math.max(known.stored, stored) : stored;
      known.age = 0;
      known.hit = hit;
      return known;
    }
    const use: Use = { hit, stored, age: 0, waiting: 0, sent: 0 };
    this.uses.set(hit.key, use);
    this.storeLater();
    return use;
  }

  private storeLater(): void {
    this.timer ??= this.inBackground(() => setTimeout(() => this.tick(), STORE_MILLIS).unref());
  }

  private tick(): void {
    this.timer = undefined;
    for (const [key, use] of this.uses) {
      use.age += 1;
      if (use.waiting > 0) void this.store(use);
      else if (use.sent === 0 && use.age > MAX_AGE) this.uses.delete(key);
    }
    if (this.uses.size > 0) this.storeLater();
  }

  private async store(use: Use): Promise<void> {
    const hits = use.waiting;
    use.waiting = 0;
    use.sent += hits;
    // A store that is away is replaced by the memory of the process, which does not fail.
    const verdict = await this.charges.charge({ ...use.hit, hits });
    use.sent -= hits;
    this.learn(use.hit, verdict);
  }
}

function leadOf({ quota }: Hit): number {
  return quota * LEAD_PART;
}
