import { Module } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { ScheduledTasks } from './scheduled-tasks.js';

/** What runs in the background of the process. */
@Module({
  providers: [
    {
      provide: ScheduledTasks,
      inject: [Clock],
      useFactory: (clock: Clock): ScheduledTasks => new ScheduledTasks(clock),
    },
  ],
  exports: [ScheduledTasks],
})
export class TasksModule {}
