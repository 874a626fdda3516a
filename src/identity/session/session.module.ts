import { Module } from '@nestjs/common';
import { CacheManager } from '../../platform/cache/cache-manager.service.js';
import { SessionCacheProperties } from '../../platform/cache/cache.properties.js';
import { Clock } from '../../kernel/clock/clock.js';
import { EventsModule } from '../events/events.module.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { KnownClientStore } from './known-client.store.js';
import { KnownClients } from './known-clients.service.js';
import { RefreshTokens } from './refresh-tokens.service.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import { RefreshTokenValues } from './refresh-token-values.service.js';
import { RefreshGrace } from './refresh-grace.task.js';
import { RefreshRotation, SessionRefresh } from './session-refresh.service.js';
import { SessionCopies } from './session-copies.service.js';
import { SessionWriter } from './session-writer.service.js';
import { SessionStore } from './session.store.js';
import { Sessions } from './sessions.service.js';

/** Sessions and their refresh tokens. */
@Module({
  imports: [EventsModule, TasksModule],
  providers: [
    ...[SessionStore, RefreshTokenStore, SessionWriter, RefreshTokenValues, RefreshTokens, Sessions],
    {
      provide: SessionCopies,
      // Commands have no caches.
      inject: [SessionCacheProperties, Clock, { token: CacheManager, optional: true }],
      useFactory: ({ maxAge }: SessionCacheProperties, clock: Clock, caches?: CacheManager) =>
        new SessionCopies(maxAge.milliseconds, clock, caches),
    },
    ...[KnownClientStore, KnownClients],
    ...[RefreshGrace, RefreshRotation, SessionRefresh],
  ],
  exports: [KnownClients, Sessions, SessionRefresh],
})
export class SessionModule {}
