import * as v from 'valibot';
import type { Clock } from '../../kernel/clock/clock.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Kvstore } from '../kvstore/kvstore.service.js';
import type { StoreAvailability } from '../kvstore/store-availability.js';
import { storeKey, storeKeysOf } from '../kvstore/store-key.js';
import { type Cache, CACHE_MANAGER, type CacheFacts } from './cache.js';
import type { CacheStatistics } from './cache-meters.js';
import type { CacheSeal } from './cache-seal.js';

/** Number of keys that one step of a scan examines. */
const SCAN_COUNT = 1000;
const RETRY_AFTER_SECONDS = 5;

/** Dependencies that the caches of the key-value store share. */
export interface KvstoreCacheParts {
  readonly kvstore: Kvstore;
  readonly availability: StoreAvailability;
  readonly seal: CacheSeal;
  readonly clock: Clock;
}

/**
 * A cache in the key-value store, for all replicas. Its keys are hashed and its values sealed. While the store is
 * unavailable or slow, nothing is found.
 */
export class KvstoreCache<V> implements Cache<V> {
  readonly manager = CACHE_MANAGER;
  readonly target = 'KvstoreCache';
  readonly name: string;
  private readonly use: string;
  private readonly stored: v.GenericSchema<unknown, { readonly until: number; readonly value: V }>;

  constructor(
    private readonly facts: CacheFacts<V>,
    private readonly parts: KvstoreCacheParts,
    private readonly statistics: Omit<CacheStatistics, 'evictions'>,
  ) {
    this.name = facts.name;
    this.use = `cache:${facts.name}`;
    this.stored = v.object({ until: v.number(), value: facts.schema });
  }

  async get(key: string): Promise<V | undefined> {
    const place = this.placeOf(key);
    const text = await this.parts.availability.attempt(() => this.parts.kvstore.send('GET', place));
    const value = typeof text === 'string' ? this.valueOf(text, place) : undefined;
    this.statistics[value === undefined ? 'misses' : 'hits'].increment();
    return value;
  }

  /** Stores a value in the background. */
  put(key: string, value: V, ageMillis = Infinity): void {
    const age = Math.floor(Math.min(ageMillis, this.facts.maxAgeMillis));
    if (age <= 0) return;
    const { availability, clock, kvstore, seal } = this.parts;
    const place = this.placeOf(key);
    const text = seal.seal(JSON.stringify({ until: clock.millis() + age, value }), place);
    this.statistics.puts.increment();
    void availability.attempt(() => kvstore.send('SET', place, text, 'PX', age));
  }

  /** Removes the entries of this cache and no other keys. @throws ServiceError `UNAVAILABLE` */
  async clear(): Promise<void> {
    let cursor = '0';
    do {
      const at = cursor;
      const found = await this.parts.availability.attempt(() =>
        this.parts.kvstore.send('SCAN', at, 'MATCH', storeKeysOf(this.use), 'COUNT', SCAN_COUNT),
      );
      if (!found) throw away();
      const [next, keys] = found as readonly [string, readonly string[]];
      if (keys.length > 0) {
        const removed = await this.parts.availability.attempt(() => this.parts.kvstore.send('UNLINK', ...keys));
        if (removed === undefined) throw away();
      }
      cursor = next;
    } while (cursor !== '0');
  }

  private placeOf(key: string): string {
    return storeKey(this.use, key);
  }

  /** Parses a stored value; undefined for the format of another release. */
  private valueOf(text: string, place: string): V | undefined {
    const plain = this.parts.seal.open(text, place);
    if (plain === undefined) return undefined;
    const parsed = v.safeParse(this.stored, JSON.parse(plain));
    return parsed.success && this.parts.clock.millis() < parsed.output.until ? parsed.output.value : undefined;
  }
}

function away(): ServiceError {
  return new ServiceError('UNAVAILABLE', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
