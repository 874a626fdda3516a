import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock/clock.js';
import type { CaffeineSpec } from './caffeine-spec.js';
import { type Cache, CACHE_MANAGER, type CacheFacts } from './cache.js';
import type { CacheStatistics } from './cache-meters.js';

/** Maximum number of entries, also of a cache without `maximumSize`. */
const MAX_ENTRIES = 50_000;

interface Entry<V> {
  readonly value: V;
  /** Milliseconds since 1970; a read does not extend it. */
  readonly until: number;
}

/** A cache in the memory of this process; the least recently used entry is evicted first. */
export class InProcessCache<V extends object | string> implements Cache<V> {
  readonly manager = CACHE_MANAGER;
  readonly target = 'InProcessCache';
  readonly name: string;
  private readonly entries: LRUCache<string, Entry<V>>;
  private readonly maxAgeMillis: number;

  constructor(
    { name, maxAgeMillis }: CacheFacts<V>,
    { maximumSize = MAX_ENTRIES, expireAfterWrite = Infinity, expireAfterAccess }: CaffeineSpec,
    private readonly clock: Clock,
    private readonly statistics?: CacheStatistics,
  ) {
    this.name = name;
    const keepsNone = maximumSize === 0 || expireAfterAccess === 0;
    this.maxAgeMillis = keepsNone ? 0 : Math.min(maxAgeMillis, expireAfterWrite);
    this.entries = new LRUCache<string, Entry<V>>({
      max: Math.min(Math.max(1, maximumSize), MAX_ENTRIES),
      ...(expireAfterAccess !== undefined &&
        expireAfterAccess > 0 && {
          ttl: Math.ceil(expireAfterAccess),
          updateAgeOnGet: true,
          // Without a resolution, each read would keep a timer.
          ttlResolution: 0,
          perf: { now: () => this.clock.millis() },
        }),
      dispose: (_value, _key, reason) => {
        if (reason === 'evict' || reason === 'expire') this.statistics?.evictions.increment();
      },
    });
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (entry && this.clock.millis() < entry.until) {
      this.statistics?.hits.increment();
      return entry.value;
    }
    this.statistics?.misses.increment();
    if (entry) {
      this.entries.delete(key);
      this.statistics?.evictions.increment();
    }
    return undefined;
  }

  put(key: string, value: V, ageMillis = Infinity): void {
    const age = Math.min(ageMillis, this.maxAgeMillis);
    if (age <= 0) return;
    this.entries.set(key, { value, until: this.clock.millis() + age });
    this.statistics?.puts.increment();
  }

  clear(): void {
    this.entries.clear();
  }
}
