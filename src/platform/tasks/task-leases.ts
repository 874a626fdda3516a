/** The right of this process to run a task, until it ends, is lost or the process dies. */
export interface TaskLease {
  /** Rises with each change of the holder, so that a write may be refused to one that has lost its lease. */
  readonly fence: number;
  /** Aborted once another replica may run the task. */
  readonly lost: AbortSignal;
  /** Ends the lease; no replica takes the task within the next `restMillis`. */
  release(restMillis: number): Promise<void>;
}

/** Another replica runs the task, or has run it shortly before. */
export interface LeaseRefused {
  readonly retryInMillis: number;
}

/** Leases of tasks that run on one replica at a time. */
export abstract class TaskLeases {
  /** @throws ServiceError `UNAVAILABLE` */
  abstract take(task: string): Promise<TaskLease | LeaseRefused>;
}
