import { Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { Meters } from '../../observability/metrics/meters.js';
import { ScheduledTasks } from './scheduled-tasks.js';
import { SchedulingPool } from './scheduling-pool.js';
import { TaskExecutor } from './task-executor.js';
import { TaskThreads } from './task-threads.js';
import { ExecutionPoolProperties, ExecutionProperties, SchedulingPoolProperties } from './tasks.properties.js';
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

const taskExecutor = {
  provide: TaskExecutor,
  inject: [ExecutionProperties, ExecutionPoolProperties, TaskThreads, Meters, Loggers],
  useFactory: (
    { threadNamePrefix }: ExecutionProperties,
    { coreSize, maxSize = Infinity, queueCapacity = Infinity }: ExecutionPoolProperties,
    threads: TaskThreads,
    meters: Meters,
    loggers: Loggers,
  ): TaskExecutor => new TaskExecutor({ coreSize, maxSize, queueCapacity, threadNamePrefix }, threads, meters, loggers),
};

/** Runs the background work of the process; its loops and tasks end while the database is still open. */
@Module({
  providers: [scheduledTasks, taskExecutor, TaskThreads, WorkerThreads],
  exports: [ScheduledTasks, TaskExecutor, TaskThreads, WorkerThreads],
})
export class TasksModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly tasks: ScheduledTasks,
    private readonly executor: TaskExecutor,
    private readonly threads: WorkerThreads,
  ) {
    threads.listen();
  }

  /** The names of the jobs and tasks that run or wait for the executor. */
  get unfinished(): readonly string[] {
    const jobs = this.tasks.all.filter(({ lastExecution }) => lastExecution?.status === 'STARTED');
    return [...jobs.map(({ target }) => target), ...this.executor.unfinished];
  }

  onApplicationBootstrap(): void {
    this.tasks.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.threads.stop();
    // The last steps of the loops may still submit tasks.
    await this.tasks.stop();
    await this.executor.stop();
  }
}
