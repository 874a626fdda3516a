import { Global, Module } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Kvstore } from '../kvstore/kvstore.service.js';
import { type AvailabilityMessages, StoreAvailability } from '../kvstore/store-availability.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { DatasourceProperties, PoolProperties } from '../persistence/datasource.properties.js';
import { dialectOf } from '../persistence/dialect.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { KvstoreLimits } from './kvstore-limits.client.js';
import { RouteLimitProperties } from './rate-limit.properties.js';
import { RateLimitTable } from './rate-limit.store.js';
import { RateLimiter } from './rate-limiter.service.js';
import type { RateLimitStore } from './rate-limit-store.js';
import { type Shared, SharedStore } from './shared-store.service.js';
import type { Charge } from './sliding-window.js';

/**
 * A request never waits longer for the database because of its limits. It then waits for the database on its own account, too:
 * as a part of the limit of the pool, both waits together stay near that limit.
 */
const DATABASE_LIMIT_MILLIS = 2000;
const PART_OF_POOL_LIMIT = 0.25;

/** Writes: a store that is full, or that became read-only, responds to reads and to `PING`. */
const PROBE: Charge = { key: 'probe', quota: 1_000_000, windowMillis: 60_000, hits: 1 };

const MESSAGES: AvailabilityMessages = {
  lost: 'Rate limits are counted by this process alone: the shared store does not respond',
  back: 'Rate limits are shared again',
};

/** The limits of routes. The guards are global and in the order of `AuthModule`. */
@Global()
@Module({
  providers: [
    {
      provide: SharedStore,
      inject: [RouteLimitProperties, DatasourceProperties, PoolProperties, Kvstore, UnitOfWork, Clock, Loggers],
      useFactory: sharedStore,
    },
    RateLimiter,
  ],
  exports: [RateLimiter, SharedStore],
})
export class RateLimitModule {}

function sharedStore(
  { store }: RouteLimitProperties,
  { url }: DatasourceProperties,
  { connectionTimeout }: PoolProperties,
  kvstore: Kvstore,
  work: UnitOfWork,
  clock: Clock,
  loggers: Loggers,
): SharedStore {
  const shared = (kind: Shared['kind'], limits: RateLimitStore, limitMillis: number): SharedStore => {
    const availability = new StoreAvailability(
      () => limits.charge([PROBE]),
      limitMillis,
      loggers.get('limits'),
      MESSAGES,
    );
    return new SharedStore({ kind, limits, availability });
  };
  if (store === 'kvstore' || (store === 'auto' && kvstore.isConfigured)) {
    return shared('kvstore', new KvstoreLimits(kvstore), kvstore.timeoutMillis);
  }
  if (store === 'database' || (store === 'auto' && dialectOf(url) !== 'sqlite')) {
    // 0 is no limit.
    const poolMillis = connectionTimeout.milliseconds || Infinity;
    const limitMillis = Math.min(DATABASE_LIMIT_MILLIS, poolMillis * PART_OF_POOL_LIMIT);
    return shared('database', new RateLimitTable(work, clock), limitMillis);
  }
  return new SharedStore(undefined);
}
