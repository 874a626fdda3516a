import { Global, Module } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Kvstore } from '../kvstore/kvstore.service.js';
import { type AvailabilityMessages, StoreAvailability } from '../kvstore/store-availability.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { Meters } from '../../observability/metrics/meters.js';
import { Random } from '../../kernel/random/random.js';
import { Sealer } from '../sealing/sealer.js';
import { cacheFactory, CacheManager } from './cache-manager.service.js';
import { CacheMeters } from './cache-meters.js';
import { CacheRegistry } from './cache-registry.js';
import { CacheSeal } from './cache-seal.js';
import { CacheProperties, CaffeineProperties } from './cache.properties.js';
import type { KvstoreCacheParts } from './kvstore-cache.client.js';

/** Maximum time that a request waits for a cache: reading the database takes less. */
const LIMIT_MILLIS = 500;

const PROBE_KEY = 'login:cache:probe';
const PROBE_MILLIS = 1000;

const MESSAGES: AvailabilityMessages = {
  lost: 'Caches are not used: the key-value store does not respond',
  back: 'Caches are used again',
};

/** The named caches, and the list of them. */
@Global()
@Module({
  providers: [
    CacheRegistry,
    {
      provide: CacheSeal,
      inject: [Sealer, Random, Clock],
      useFactory: (sealer: Sealer, random: Random, clock: Clock) => new CacheSeal(sealer, random, clock),
    },
    { provide: CacheMeters, inject: [Meters], useFactory: (meters: Meters) => new CacheMeters(meters) },
    {
      provide: StoreAvailability,
      inject: [Kvstore, Loggers],
      useFactory: (kvstore: Kvstore, loggers: Loggers) => {
        // Writes: a store that is full, or that became read-only, responds to reads and to PING.
        const probe = (): Promise<unknown> => kvstore.send('SET', PROBE_KEY, '', 'PX', PROBE_MILLIS);
        const limitMillis = Math.min(LIMIT_MILLIS, kvstore.timeoutMillis);
        return new StoreAvailability(probe, limitMillis, loggers.get('cache'), MESSAGES);
      },
    },
    {
      provide: CacheManager,
      inject: [
        CacheProperties,
        CaffeineProperties,
        CacheMeters,
        CacheRegistry,
        Kvstore,
        StoreAvailability,
        CacheSeal,
        Clock,
      ],
      useFactory: async (
        properties: CacheProperties,
        caffeine: CaffeineProperties,
        meters: CacheMeters,
        registry: CacheRegistry,
        ...[kvstore, availability, seal, clock]: [Kvstore, StoreAvailability, CacheSeal, Clock]
      ) => {
        const parts: KvstoreCacheParts = { kvstore, availability, seal, clock };
        return new CacheManager(await cacheFactory(properties, caffeine, meters, parts), registry, availability);
      },
    },
  ],
  exports: [CacheManager, CacheRegistry],
})
export class CacheModule {}
