import type { Logger } from '../../observability/logging/logger.js';
import type { Loggers } from '../../observability/logging/loggers.js';
import { executorMeters } from '../../observability/metrics/executor-meters.js';
import type { Counter } from '../../observability/metrics/meter.js';
import type { Meters } from '../../observability/metrics/meters.js';
import type { TaskThreads } from './task-threads.js';

/** The tag `name` of the meters. */
const METER_NAME = 'task-execution';

/** Limits of the executor; `Infinity` is no limit. */
export interface ExecutionLimits {
  readonly coreSize: number;
  readonly maxSize: number;
  readonly queueCapacity: number;
  readonly threadNamePrefix: string;
}

/** A task that runs now, or waits for a place. */
export interface AcceptedTask<T> {
  /** Result of the work; rejects with its error. */
  readonly result: Promise<T>;
}

/** A task that will not run: no place and no room in the queue is free, or the service is stopping. */
export interface RejectedTask {
  readonly rejected: 'full' | 'stopping';
}

interface QueuedTask {
  /** Class and method, e.g. `MailDelivery.send`. */
  readonly task: string;
  readonly work: () => Promise<unknown>;
  readonly settle: (run: Promise<unknown>) => void;
}

/** A place of the executor. It keeps its name and id, so that consecutive tasks on it look like those of one thread. */
interface Place {
  readonly id: number;
  readonly name: string;
  task: string | undefined;
}

/**
 * Runs background tasks as `ThreadPoolExecutor` of Java does, with promises in place of threads: a task starts while fewer
 * than `coreSize` run, otherwise it waits in the queue, otherwise, if the queue is full, it starts while fewer than
 * `maxSize` run, otherwise it is rejected. The queue is first in, first out. A place above `coreSize` ends when the queue is
 * empty, as a thread with a keep-alive time of 0 does.
 */
export class TaskExecutor {
  private readonly places: Place[] = [];
  private readonly queue: QueuedTask[] = [];
  private readonly logger: Logger;
  private readonly completed: Counter;
  private readonly rejected: Counter;
  private active = 0;
  /** Number of tasks rejected since a place of the core was last free. */
  private rejectedInBout = 0;
  private isStopping = false;
  private readonly drained = Promise.withResolvers<undefined>();

  constructor(
    private readonly limits: ExecutionLimits,
    private readonly threads: TaskThreads,
    meters: Meters,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('tasks');
    this.completed = executorMeters(meters, METER_NAME, () => ({
      active: this.active,
      queued: this.queue.length,
      size: Math.max(limits.coreSize, this.active),
    }));
    const rejections = { description: 'Rejected tasks', baseUnit: 'tasks' };
    this.rejected = meters.counter('executor.rejected.tasks', rejections).of({ name: METER_NAME });
  }

  get coreSize(): number {
    return this.limits.coreSize;
  }

  /** The tasks in progress and those that wait, each as `MailDelivery.send (async-1)` or `MailDelivery.send (queued)`. */
  get unfinished(): readonly string[] {
    const running = this.places.flatMap(({ task, name }) => (task === undefined ? [] : [`${task} (${name})`]));
    return [...running, ...this.queue.map(({ task }) => `${task} (queued)`)];
  }

  /** `task` names class and method. The caller decides what becomes of a task that is rejected. */
  submit<T>(task: string, work: () => Promise<T>): AcceptedTask<T> | RejectedTask {
    const { coreSize, maxSize, queueCapacity } = this.limits;
    const { promise: result, resolve } = Promise.withResolvers<T>();
    const queued: QueuedTask = { task, work, settle: (run) => resolve(run as Promise<T>) };
    if (this.isStopping) return this.reject(task, 'stopping');
    if (this.active < coreSize) this.start(this.freePlace(), queued);
    else if (this.queue.length < queueCapacity) this.queue.push(queued);
    else if (this.active < maxSize) this.start(this.freePlace(), queued);
    else return this.reject(task, 'full');
    return { result };
  }

  /** Rejects further tasks, and resolves once those that were accepted have ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.active > 0) await this.drained.promise;
  }

  private freePlace(): Place {
    const free = this.places.find(({ task }) => task === undefined);
    if (free) return free;
    const name = `${this.limits.threadNamePrefix}${this.places.length + 1}`;
    const place: Place = { id: this.threads.newId(), name, task: undefined };
    this.places.push(place);
    return place;
  }

  private start(place: Place, { task, work, settle }: QueuedTask): void {
    this.active += 1;
    place.task = task;
    const run = this.threads.run(place.id, place.name, work);
    // The place is free before the submitter learns of the end, so that its next task finds it.
    const end = (): void => {
      this.leave(place);
      settle(run);
    };
    run.then(end, end);
  }

  private leave(place: Place): void {
    this.active -= 1;
    place.task = undefined;
    this.completed.increment();
    const next = this.queue.shift();
    if (next) this.start(place, next);
    else if (this.active < this.limits.coreSize) this.endBout();
    if (this.isStopping && this.active === 0) this.drained.resolve(undefined);
  }

  private reject(task: string, rejected: RejectedTask['rejected']): RejectedTask {
    this.rejected.increment();
    if (rejected === 'full') {
      const facts = { task, active: this.active, queued: this.queue.length };
      if (this.rejectedInBout === 0) this.logger.warn('A background task was rejected: pool and queue are full', facts);
      this.rejectedInBout += 1;
    }
    return { rejected };
  }

  private endBout(): void {
    if (this.rejectedInBout === 0) return;
    this.logger.info('Background tasks are accepted again', { rejected: this.rejectedInBout });
    this.rejectedInBout = 0;
  }
}
