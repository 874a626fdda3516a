import { type Cache, CACHE_MANAGER } from './cache.js';

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
