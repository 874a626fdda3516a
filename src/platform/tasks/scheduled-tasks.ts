import type { Clock } from '../../kernel/clock/clock.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { BackgroundLoop, type Schedule, type Work } from './repeat.js';
import { ScheduledTask, type Trigger } from './scheduled-task.js';
import { SchedulingPool } from './scheduling-pool.js';
import type { TaskLeases } from './task-leases.js';
import { TaskThreads } from './task-threads.js';

/** The background tasks of this process: those shown at "scheduledtasks", and the loops that run them. */
export class ScheduledTasks {
  private readonly tasks: ScheduledTask[] = [];
  private readonly loops: BackgroundLoop[] = [];
  private leases: TaskLeases | undefined;
  private isStarted = false;

  constructor(
    private readonly clock: Clock,
    private readonly loggers = new Loggers(),
    private readonly pool = new SchedulingPool(Infinity),
    private readonly threads = new TaskThreads(),
  ) {}

  /** Sets the leases; without them, every process runs the tasks that need one. */
  useLeases(leases: TaskLeases): void {
    this.leases = leases;
  }

  get all(): readonly ScheduledTask[] {
    return this.tasks;
  }

  add(target: string, trigger: Trigger): ScheduledTask {
    const task = new ScheduledTask(target, trigger, this.clock, this.threads, this.loggers.get('tasks'));
    this.tasks.push(task);
    return task;
  }

  /**
   * Repeats `work` from the start of the application until its shutdown; `target` names class and method. A loop that is
   * added after the start begins at once.
   */
  repeat(target: string, schedule: Schedule, work: Work): BackgroundLoop {
    const task = this.add(target, triggerOf(schedule));
    const loop = new BackgroundLoop(task, schedule, work, this.pool, () => this.leases);
    this.loops.push(loop);
    if (this.isStarted) loop.start();
    return loop;
  }

  start(): void {
    this.isStarted = true;
    for (const loop of this.loops) loop.start();
  }

  /** Plans no more turns, and resolves once those in progress have ended. */
  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}

function triggerOf(schedule: Schedule): Trigger {
  if (schedule.kind === 'custom') return { kind: 'custom', trigger: schedule.trigger };
  const { kind, initialDelayMillis, intervalMillis } = schedule;
  return { kind, initialDelayMillis, intervalMillis };
}
