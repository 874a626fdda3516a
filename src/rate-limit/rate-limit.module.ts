import { Global, Module } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Kvstore } from '../kvstore/kvstore.service.js';
import { DatasourceProperties } from '../persistence/datasource.properties.js';
import { dialectOf } from '../persistence/dialect.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { KvstoreLimits } from './kvstore-limits.client.js';
import { RouteLimitProperties } from './rate-limit.properties.js';
import { RateLimitTable } from './rate-limit.store.js';
import { RateLimiter, SharedStore } from './rate-limiter.service.js';

/** A request never waits longer for the database because of its limits. */
const DATABASE_LIMIT_MILLIS = 2000;

/** The limits of routes. The guards are global and in the order of `AuthModule`. */
@Global()
@Module({
  providers: [
    {
      provide: SharedStore,
      inject: [RouteLimitProperties, DatasourceProperties, Kvstore, UnitOfWork, Clock],
      useFactory: sharedStore,
    },
    RateLimiter,
  ],
  exports: [RateLimiter],
})
export class RateLimitModule {}

function sharedStore(
  { store }: RouteLimitProperties,
  { url }: DatasourceProperties,
  kvstore: Kvstore,
  work: UnitOfWork,
  clock: Clock,
): SharedStore {
  const isServer = dialectOf(url) !== 'sqlite';
  if (store === 'kvstore' || (store === 'auto' && kvstore.isConfigured)) {
    return new SharedStore(new KvstoreLimits(kvstore), kvstore.timeoutMillis);
  }
  if (store === 'database' || (store === 'auto' && isServer)) {
    return new SharedStore(new RateLimitTable(work, clock), DATABASE_LIMIT_MILLIS);
  }
  return new SharedStore(undefined, 0);
}
