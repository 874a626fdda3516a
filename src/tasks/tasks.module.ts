import { Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Loggers } from '../logging/loggers.js';
import { ScheduledTasks } from './scheduled-tasks.js';
import { SchedulingPool } from './scheduling-pool.js';
import { TaskThreads } from './task-threads.js';
import { SchedulingPoolProperties } from './tasks.properties.js';
import { WorkerThreads } from './worker-threads.js';

const scheduledTasks = {
  provide: ScheduledTasks,
  inject: [Clock, Loggers, SchedulingPoolProperties, TaskThreads],
  useFactory: (
    clock: Clock,
    loggers: Loggers,
    { size }: SchedulingPoolProperties,
    threads: TaskThreads,
  ): ScheduledTasks => new ScheduledTasks(clock, loggers, new SchedulingPool(size), threads),
};

/** The background of the process; its loops end while the database is still open. */
@Module({
  providers: [scheduledTasks, TaskThreads, WorkerThreads],
  exports: [ScheduledTasks, TaskThreads, WorkerThreads],
})
export class TasksModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly tasks: ScheduledTasks,
    private readonly threads: WorkerThreads,
  ) {
    threads.listen();
  }

  onApplicationBootstrap(): void {
    this.tasks.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.threads.stop();
    await this.tasks.stop();
  }
}
