import { Module, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { ScheduledTasks } from './scheduled-tasks.js';
import { WorkerThreads } from './worker-threads.js';

const scheduledTasks = {
  provide: ScheduledTasks,
  inject: [Clock],
  useFactory: (clock: Clock): ScheduledTasks => new ScheduledTasks(clock),
};

/** What runs in the background of the process. */
@Module({ providers: [scheduledTasks, WorkerThreads], exports: [ScheduledTasks, WorkerThreads] })
export class TasksModule implements OnModuleDestroy {
  constructor(private readonly threads: WorkerThreads) {
    threads.listen();
  }

  onModuleDestroy(): void {
    this.threads.stop();
  }
}
