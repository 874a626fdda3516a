import type { Counter } from '../../observability/metrics/meter.js';
import type { Meters } from '../../observability/metrics/meters.js';
import { CACHE_MANAGER } from './cache.js';

/** Counts of one cache. */
export interface CacheStatistics {
  readonly hits: Counter;
  readonly misses: Counter;
  readonly puts: Counter;
  readonly evictions: Counter;
}

/** Meters of caches, with the names and tags of Spring Boot. A count that a cache does not keep has no series. */
export class CacheMeters {
  constructor(private readonly meters: Meters) {}

  statisticsOf(name: string): CacheStatistics {
    return { ...this.readsAndPutsOf(name), evictions: this.counter('cache.evictions', EVICTIONS, name) };
  }

  /** Counters of a cache whose evictions happen elsewhere. */
  readsAndPutsOf(name: string): Omit<CacheStatistics, 'evictions'> {
    const gets = this.meters.counter('cache.gets', {
      description: 'Reads of a cache that found a value, or found none.',
    });
    const [hits, misses] = [gets.of({ ...tagsOf(name), result: 'hit' }), gets.of({ ...tagsOf(name), result: 'miss' })];
    return { hits, misses, puts: this.counter('cache.puts', 'Values that were put into a cache.', name) };
  }

  size(name: string, read: () => number): void {
    const description = 'Entries of a cache, including those that have expired and were not removed yet.';
    this.meters.gauge('cache.size', { description }, read, tagsOf(name));
  }

  private counter(meter: string, description: string, name: string): Counter {
    return this.meters.counter(meter, { description }).of(tagsOf(name));
  }
}

const EVICTIONS = 'Entries that a cache removed because of its limits.';

function tagsOf(name: string): { readonly name: string; readonly 'cache.manager': string } {
  return { name, 'cache.manager': CACHE_MANAGER };
}
