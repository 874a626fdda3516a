import { Module } from '@nestjs/common';
import { TasksModule } from '../../../platform/tasks/tasks.module.js';
import { EventsModule } from '../events.module.js';
import { EventRelayTask } from './event-relay.task.js';

/** Relays events in the service, and not in commands. */
@Module({ imports: [EventsModule, TasksModule], providers: [EventRelayTask] })
export class EventRelayModule {}
