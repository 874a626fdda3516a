import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../kernel/clock/clock.js';
import { ChargeQueue } from './charge-queue.js';
import { MemoryLimits } from './memory-limits.js';
import type { Charge, LimitVerdict } from './sliding-window.js';

/** Used part of a quota up to which a request is admitted before its hit is stored. */
const USED_PART = 1 / 2;
/** Largest part of a quota that one process admits before it is stored, and in each window before the count is read. */
const LEAD_PART = 1 / 64;
/** Hits of all keys that one process admits before they are stored: a slow store must not cause a backlog without a bound. */
const MAX_UNSTORED = 1000;
const STORE_MILLIS = 50;
/** Age in intervals after which a count is read again. */
const MAX_AGE = 4;

/** One hit of a limit. */
export type Hit = Omit<Charge, 'hits'>;

/** The count of a key that this process has charged or read recently. */
interface Use {
  hit: Hit;
  /** Stored hits of all replicas. */
  stored: number;
  /** Number of the interval in which the count was requested. */
  askedAt: number;
  /** Admitted hits that wait to be sent to the store, and those on their way to it. */
  waiting: number;
  sent: number;
}

/**
 * Charges of a store where each costs a commit. While a limit is far from used up, a request waits for no commit: it is
 * admitted by the count of a moment ago, or by a read, and its hit is stored behind the response. The first requests of a key
 * in a window need no read either: the charge that follows them tells the count. Near the limit, every charge waits for the
 * store, so that replicas admit exactly the quota together.
 *
 * Up to 32 replicas have no more admitted ahead than the unused half, so they exceed a quota only if the other half
 * is used within the fraction of a second that a count is old: by 1/64 of the quota for each replica at most
 * (decision 0078).
 */
export class WriteBehindCharges {
  private readonly inBackground = AsyncLocalStorage.snapshot();
  private readonly uses = new Map<string, Use>();
  private readonly charges: ChargeQueue;
  /** Reads have a queue of their own, since they must not wait for the commit of a batch. */
  private readonly reads: ChargeQueue;
  /** Hits of each key that were admitted without a count. */
  private readonly unread: MemoryLimits;
  /** Charges of hits that were admitted ahead, until the store has responded. */
  private readonly stores = new Set<Promise<void>>();
  private unstored = 0;
  /** Number of intervals since the start. */
  private interval = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    send: (charges: readonly Charge[]) => Promise<readonly LimitVerdict[]>,
    private readonly clock: Clock,
  ) {
    this.charges = new ChargeQueue(send);
    this.reads = new ChargeQueue(send);
    this.unread = new MemoryLimits(clock);
  }

  async charge(hit: Hit): Promise<LimitVerdict> {
    // A quota too small to admit one ahead needs no read.
    if (hit.quota * LEAD_PART < 1) return this.charges.charge({ ...hit, hits: 1 });
    const use = this.youngUse(hit) ?? (await this.ask(this.reads, hit, 0)).use;
    const verdict = this.admitAhead(use, hit);
    if (verdict) return verdict;
    // Stores the waiting hits in the same batch and before this one, so that a burst at one process gets exactly the
    // quota.
    if (use.waiting > 0) this.store(use);
    return (await this.ask(this.charges, hit, 1)).verdict;
  }

  /** Sends all hits that wait, and ends once the store has those and all that were sent before. */
  async flush(): Promise<void> {
    for (const use of this.uses.values()) if (use.waiting > 0) this.store(use);
    await Promise.all(this.stores);
  }

  /** What this process knows of the key; nothing is needed for the first hits of a window. */
  private youngUse(hit: Hit): Use | undefined {
    const known = this.uses.get(hit.key);
    if (known) return this.isOld(known) ? undefined : known;
    return this.takeUnread(hit, 1) ? this.begin(hit, 0, this.interval) : undefined;
  }

  private takeUnread({ key, quota, windowMillis }: Hit, hits: number): boolean {
    return this.unread.charge({ key, windowMillis, quota: Math.floor(quota * LEAD_PART), hits }).admitted > 0;
  }

  private begin(hit: Hit, stored: number, askedAt: number): Use {
    const use: Use = { hit, stored, askedAt, waiting: 0, sent: 0 };
    this.uses.set(hit.key, use);
    this.storeLater();
    return use;
  }

  private admitAhead(use: Use, { quota, windowMillis }: Hit): LimitVerdict | undefined {
    const ahead = use.waiting + use.sent + 1;
    const used = use.stored + ahead;
    if (ahead > quota * LEAD_PART || used > quota * USED_PART || this.unstored >= MAX_UNSTORED) return undefined;
    use.waiting += 1;
    this.unstored += 1;
    return {
      admitted: 1,
      remaining: quota - used,
      resetMillis: windowMillis - (this.clock.millis() % windowMillis),
      retryMillis: 0,
    };
  }

  /** Charges hits, and remembers how many are stored now. */
  private async ask(
    queue: ChargeQueue,
    hit: Hit,
    hits: number,
  ): Promise<{ readonly use: Use; readonly verdict: LimitVerdict }> {
    const askedAt = this.interval;
    const verdict = await queue.charge({ ...hit, hits });
    const stored = hit.quota - verdict.remaining;
    const use = this.uses.get(hit.key);
    if (!use) return { use: this.begin(hit, stored, askedAt), verdict };
    // A read that began before the last charge does not know its hits.
    use.stored = askedAt > use.askedAt ? stored : Math.max(use.stored, stored);
    use.askedAt = Math.max(use.askedAt, askedAt);
    use.hit = hit;
    return { use, verdict };
  }

  private isOld({ askedAt }: Use): boolean {
    return this.interval - askedAt > MAX_AGE;
  }

  private storeLater(): void {
    this.timer ??= this.inBackground(() => setTimeout(() => this.nextInterval(), STORE_MILLIS).unref());
  }

  private nextInterval(): void {
    this.timer = undefined;
    this.interval += 1;
    for (const [key, use] of this.uses) {
      if (use.waiting > 0) this.store(use);
      else if (use.sent === 0 && this.isOld(use)) this.forget(key, use);
    }
    if (this.uses.size > 0) this.storeLater();
  }

  /** A key with more hits than a process may admit unread is read first when it returns. */
  private forget(key: string, { hit, stored }: Use): void {
    this.uses.delete(key);
    const lead = Math.floor(hit.quota * LEAD_PART);
    if (stored > lead) this.takeUnread(hit, lead);
  }

  private store(use: Use): void {
    const hits = use.waiting;
    use.waiting = 0;
    use.sent += hits;
    const stored = this.ask(this.charges, use.hit, hits)
      // A store that is away is replaced by the memory of the process; hits that neither has counted are lost.
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        use.sent -= hits;
        this.unstored -= hits;
        this.stores.delete(stored);
      });
    this.stores.add(stored);
  }
}
