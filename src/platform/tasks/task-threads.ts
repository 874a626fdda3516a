import { inThread } from '../../observability/logging/log-context.js';

/** A background task in progress, under the name that its log lines have as their thread. */
export interface TaskThread {
  /** Negative id, since the task is not a thread of the process. */
  readonly id: number;
  readonly name: string;
}

/** The background tasks in progress, which share the event loop. */
export class TaskThreads {
  private readonly alive = new Map<number, TaskThread>();
  private lastId = 0;

  /** The tasks in the order of their start. */
  get all(): readonly TaskThread[] {
    return [...this.alive.values()];
  }

  /** Returns an id for consecutive tasks, as on one thread; consoles follow a thread by its id. */
  newId(): number {
    this.lastId -= 1;
    return this.lastId;
  }

  /** Runs a task under this name, without the context of a request that may have caused it. */
  async run<T>(id: number, name: string, work: () => Promise<T>): Promise<T> {
    this.alive.set(id, { id, name });
    try {
      return await inThread(name, work);
    } finally {
      this.alive.delete(id);
    }
  }
}
