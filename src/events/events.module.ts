import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { EventRelay } from './event-relay.service.js';
import { EventRetention } from './event-retention.task.js';
import { EventSearch } from './event-search.service.js';
import { EventStore } from './event.store.js';
import { SecurityEvents } from './security-events.service.js';

@Module({
  imports: [TasksModule],
  providers: [EventStore, EventSearch, EventRelay, EventRetention, SecurityEvents],
  exports: [EventRelay, EventSearch, SecurityEvents],
})
export class EventsModule {}
