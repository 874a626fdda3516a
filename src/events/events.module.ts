import { Module } from '@nestjs/common';
import { EventStore } from './event.store.js';
import { SecurityEvents } from './security-events.service.js';

@Module({ providers: [EventStore, SecurityEvents], exports: [SecurityEvents] })
export class EventsModule {}
