import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { ClientUseStore } from './client-use.store.js';
import { ClientUses } from './client-uses.service.js';
import { KnownClientStore } from './known-client.store.js';
import { KnownClients } from './known-clients.service.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import { SessionLifetimes } from './session.js';
import { SessionSecrets } from './session-secrets.service.js';
import { lifetimesOf, RefreshProperties, SessionProperties } from './session.properties.js';
import { RefreshGrace } from './refresh-grace.task.js';
import { RefreshRotation, SessionRefresh } from './session-refresh.service.js';
import { SessionWriter } from './session-writer.service.js';
import { SessionStore } from './session.store.js';
import { Sessions } from './sessions.service.js';

/** Sessions and their refresh tokens. */
@Module({
  imports: [EventsModule, TasksModule],
  providers: [
    ...[SessionStore, RefreshTokenStore, SessionSecrets, SessionWriter, Sessions],
    {
      provide: SessionLifetimes,
      inject: [SessionProperties, RefreshProperties],
      useFactory: lifetimesOf,
    },
    ...[KnownClientStore, KnownClients],
    ...[ClientUseStore, ClientUses],
    ...[RefreshGrace, RefreshRotation, SessionRefresh],
  ],
  exports: [ClientUses, KnownClients, Sessions, SessionRefresh],
})
export class SessionModule {}
