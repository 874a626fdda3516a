import type { GenericSchema } from 'valibot';
import type { NamedCache } from './cache-registry.js';

/** Facts about a cache that its owner states. */
export interface CacheFacts<V> {
  readonly name: string;
  /** Schema of the values; values of a store that other programs can write are validated. */
  readonly schema: GenericSchema<unknown, V>;
  /** Longest age of an entry in milliseconds, whatever the configuration says. */
  readonly maxAgeMillis: number;
}

/** Values by keys. An entry may vanish at any time, so it is only ever a copy of something that can be read again. */
export interface Cache<V> extends NamedCache {
  /** Returns the value; a promise only if the value is in another process. */
  get(key: string): V | undefined | Promise<V | undefined>;
  /** Stores a value; `ageMillis` is the rest of its maximum age if it was read some time ago. */
  put(key: string, value: V, ageMillis?: number): void;
}

/** The name of the only manager, as in Spring. */
export const CACHE_MANAGER = 'cacheManager';

/** Keeps nothing; the caches of `app.cache.type=none`, which no endpoint lists. */
export class NoCache<V> implements Cache<V> {
  readonly manager = CACHE_MANAGER;
  readonly target = 'NoCache';

  constructor(readonly name: string) {}

  get(): undefined {
    return undefined;
  }

  put(): void {
    // keeps nothing
  }

  clear(): void {
    // has nothing
  }
}
