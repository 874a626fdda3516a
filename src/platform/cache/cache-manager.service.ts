import type { OnApplicationShutdown } from '@nestjs/common';
import type { StoreAvailability } from '../kvstore/store-availability.js';
import { type CaffeineSpec, parseCaffeineSpec } from './caffeine-spec.js';
import { type Cache, type CacheFacts, NoCache } from './cache.js';
import type { CacheMeters } from './cache-meters.js';
import type { CacheRegistry } from './cache-registry.js';
import type { CacheProperties, CaffeineProperties } from './cache.properties.js';
import type { KvstoreCacheParts } from './kvstore-cache.client.js';

/** Creates a cache of the configured kind. */
export type CacheFactory = <V extends object | string>(facts: CacheFacts<V>) => Cache<V>;

/** The named caches of the service, all of the kind of `app.cache.type`. */
export class CacheManager implements OnApplicationShutdown {
  constructor(
    private readonly make: CacheFactory,
    private readonly registry: CacheRegistry,
    private readonly availability: StoreAvailability,
  ) {}

  /** Creates a cache and lists it at the endpoint; its owner calls this once. With `none`, the cache stores nothing. */
  open<V extends object | string>(facts: CacheFacts<V>): Cache<V> {
    const cache = this.make(facts);
    if (!(cache instanceof NoCache)) this.registry.add(cache);
    return cache;
  }

  onApplicationShutdown(): void {
    this.availability.stop();
  }
}

/** Loads only the code of the kind that is configured. */
export async function cacheFactory(
  { type }: CacheProperties,
  { spec }: CaffeineProperties,
  meters: CacheMeters,
  parts: KvstoreCacheParts,
): Promise<CacheFactory> {
  switch (type) {
    case 'none':
      return ({ name }) => new NoCache(name);
    case 'kvstore': {
      const { KvstoreCache } = await import('./kvstore-cache.client.js');
      return (facts) => new KvstoreCache(facts, parts, meters.readsAndPutsOf(facts.name));
    }
    case 'simple':
      return inProcess({ recordStats: true }, meters, parts);
    case 'caffeine':
      return inProcess(readSpec(spec), meters, parts);
  }
}

async function inProcess(spec: CaffeineSpec, meters: CacheMeters, { clock }: KvstoreCacheParts): Promise<CacheFactory> {
  const { InProcessCache } = await import('./in-process-cache.js');
  return (facts) => {
    const statistics = spec.recordStats ? meters.statisticsOf(facts.name) : undefined;
    const cache = new InProcessCache(facts, spec, clock, statistics);
    meters.size(facts.name, () => cache.size);
    return cache;
  };
}

/** Startup has checked the specification. */
function readSpec(text: string): CaffeineSpec {
  const spec = parseCaffeineSpec(text);
  if ('reason' in spec) throw new TypeError(spec.reason);
  return spec;
}
