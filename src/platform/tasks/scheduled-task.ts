import type { Clock } from '../../kernel/clock/clock.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { maskedText } from '../../observability/logging/format/shown-text.js';
import type { Logger } from '../../observability/logging/logger.js';
import type { TaskThreads } from './task-threads.js';

/** The schedule of a task; `custom` describes any other schedule in words. */
export type Trigger =
  | {
      readonly kind: 'fixedDelay' | 'fixedRate';
      readonly initialDelayMillis: number;
      readonly intervalMillis: number;
    }
  | { readonly kind: 'cron'; readonly expression: string }
  | { readonly kind: 'custom'; readonly trigger: string };

/** The last run of a task, or the run in progress. */
export interface Execution {
  readonly status: 'STARTED' | 'SUCCESS' | 'ERROR';
  /** Start of the run in milliseconds since 1970. */
  readonly at: number;
  readonly exception?: { readonly type: string; readonly message: string };
}

const MAX_MESSAGE_LENGTH = 200;

/** The facts about repeated work that operators see (management API, "scheduledtasks"). */
export class ScheduledTask {
  private readonly threadId: number;
  private last: Execution | undefined;
  private next: number | undefined;

  constructor(
    /** Class and method, e.g. `ExpirySweep.sweep`. */
    readonly target: string,
    readonly trigger: Trigger,
    private readonly clock: Clock,
    private readonly threads: TaskThreads,
    private readonly logger: Logger,
  ) {
    this.threadId = threads.newId();
  }

  get lastExecution(): Execution | undefined {
    return this.last;
  }

  /** Milliseconds since 1970, in the past for a run that waits for a place; undefined while no run is planned. */
  get nextAt(): number | undefined {
    return this.next;
  }

  /** Records that the next run is due in `inMillis` milliseconds, and returns this time in milliseconds since 1970. */
  plan(inMillis: number): number {
    this.next = this.clock.millis() + inMillis;
    return this.next;
  }

  /** Runs the work and records its outcome; rethrows what it throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const at = this.clock.millis();
    this.last = { status: 'STARTED', at };
    this.next = undefined;
    try {
      const result = await this.threads.run(this.threadId, this.target, work);
      this.last = { status: 'SUCCESS', at };
      return result;
    } catch (error) {
      this.last = { status: 'ERROR', at, exception: exceptionOf(error) };
      throw error;
    }
  }

  /** Logs a defect; a `ServiceError`, such as an outage of the database, was logged where it arose. */
  reportDefect(message: string, error: unknown): void {
    if (error instanceof ServiceError) return;
    this.logger.error(message, { error, task: this.target });
  }

  /** Logs that a run succeeded after `failures` failed ones. */
  reportRecovery(failures: number): void {
    this.logger.info('A background task succeeded after failures', { task: this.target, failures });
  }
}

/**
 * Class and message of an error for operators: drivers may put their URL and credentials into a message, and a whole
 * statement after its first line.
 */
function exceptionOf(error: unknown): NonNullable<Execution['exception']> {
  if (!(error instanceof Error)) return { type: typeof error, message: '' };
  const [line = ''] = error.message.split(/[\r\n]/, 1);
  return { type: error.name, message: maskedText(line, MAX_MESSAGE_LENGTH) };
}
