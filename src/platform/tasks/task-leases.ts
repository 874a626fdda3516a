/** The right of this process to run a task, until it ends, is lost or the process dies. */
export interface TaskLease {
  /**
   * Number that rises with each change of the holder, so that a write of a holder that has lost its lease can be
   * rejected.
   */
  readonly fence: number;
  /** Aborted once another replica may run the task. */
  readonly lost: AbortSignal;
  /** Ends the lease; no replica takes the task within the next `restMillis`. */
  release(restMillis: number): Promise<void>;
}

/** Returned while another replica runs the task, or has run it shortly before. */
export interface UnavailableLease {
  readonly retryInMillis: number;
}

/** Leases of tasks that run on one replica at a time. */
export abstract class TaskLeases {
  /** Takes the lease of a task. @throws ServiceError `UNAVAILABLE` */
  abstract take(task: string): Promise<TaskLease | UnavailableLease>;
}
