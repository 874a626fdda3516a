import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { KnownClientStore } from './known-client.store.js';
import { KnownClients } from './known-clients.service.js';
import { RefreshTokens } from './refresh-tokens.service.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import { RefreshTokenValues } from './refresh-token-values.service.js';
import { RefreshGrace } from './refresh-grace.task.js';
import { RefreshRotation, SessionRefresh } from './session-refresh.service.js';
import { SessionWriter } from './session-writer.service.js';
import { SessionStore } from './session.store.js';
import { Sessions } from './sessions.service.js';

/** Sessions and their refresh tokens. */
@Module({
  imports: [EventsModule, TasksModule],
  providers: [
    ...[SessionStore, RefreshTokenStore, SessionWriter, RefreshTokenValues, RefreshTokens, Sessions],
    ...[KnownClientStore, KnownClients],
    ...[RefreshGrace, RefreshRotation, SessionRefresh],
  ],
  exports: [KnownClients, Sessions, SessionRefresh],
})
export class SessionModule {}
