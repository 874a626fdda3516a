import type { Worker } from 'node:worker_threads';

/** A thread of this process that is not the main one. */
export interface WorkerThread {
  /** Id that Node assigns, from 1. */
  readonly id: number;
  readonly name: string;
}

/** All worker threads of the process, including those that packages start. */
export class WorkerThreads {
  private readonly alive = new Map<number, WorkerThread>();
  private readonly note = (worker: Worker): void => {
    // A worker that has ended has no id any more.
    const { threadId: id } = worker;
    this.alive.set(id, { id, name: `worker-${id}` });
    worker.once('exit', () => this.alive.delete(id));
  };

  /** Registers the worker threads that are started from now on. */
  listen(): void {
    process.on('worker', this.note);
  }

  stop(): void {
    process.off('worker', this.note);
  }

  get all(): readonly WorkerThread[] {
    return [...this.alive.values()];
  }
}
