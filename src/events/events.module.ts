import { Module } from '@nestjs/common';
import { EventSearch } from './event-search.service.js';
import { EventStore } from './event.store.js';
import { SecurityEvents } from './security-events.service.js';

@Module({ providers: [EventStore, EventSearch, SecurityEvents], exports: [EventSearch, SecurityEvents] })
export class EventsModule {}
