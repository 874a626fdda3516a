import type { Clock } from '../clock/clock.js';
import { inThread } from '../logging/log-context.js';
import { maskedText } from '../logging/format/shown-text.js';

/** When a task runs; `custom` says in words what follows none of the usual rules. */
export type Trigger =
  | {
      readonly kind: 'fixedDelay' | 'fixedRate';
      readonly initialDelayMillis: number;
      readonly intervalMillis: number;
    }
  | { readonly kind: 'cron'; readonly expression: string }
  | { readonly kind: 'custom'; readonly trigger: string };

/** The last time a task ran, or that it is running. */
export interface Execution {
  readonly status: 'STARTED' | 'SUCCESS' | 'ERROR';
  /** Milliseconds since 1970 at which it began. */
  readonly at: number;
  readonly exception?: { readonly type: string; readonly message: string };
}

const LONGEST_MESSAGE = 200;

/** Work that is done again and again, as far as operators want to know about it. */
export class ScheduledTask {
  private last: Execution | undefined;
  private next: number | undefined;

  constructor(
    /** Class and method, e.g. `ExpirySweep.sweep`. */
    readonly target: string,
    readonly trigger: Trigger,
    private readonly clock: Clock,
  ) {}

  get lastExecution(): Execution | undefined {
    return this.last;
  }

  /** Milliseconds since 1970; undefined where nothing is planned. */
  get nextAt(): number | undefined {
    return this.next;
  }

  /** It will run in so many milliseconds. */
  plan(inMillis: number): void {
    this.next = this.clock.millis() + inMillis;
  }

  /** Does the work and notes how it went; what it throws is thrown on. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const at = this.clock.millis();
    this.last = { status: 'STARTED', at };
    this.next = undefined;
    try {
      const result = await inThread(this.target, work);
      this.last = { status: 'SUCCESS', at };
      return result;
    } catch (error) {
      this.last = { status: 'ERROR', at, exception: exceptionOf(error) };
      throw error;
    }
  }
}

/** Every task of the process (management API, "scheduledtasks"). */
export class ScheduledTasks {
  private readonly tasks: ScheduledTask[] = [];

  constructor(private readonly clock: Clock) {}

  get all(): readonly ScheduledTask[] {
    return this.tasks;
  }

  add(target: string, trigger: Trigger): ScheduledTask {
    const task = new ScheduledTask(target, trigger, this.clock);
    this.tasks.push(task);
    return task;
  }
}

/** Drivers may put the URL they connect to, and what they were given, into a message, and a whole statement behind its first line. */
function exceptionOf(error: unknown): NonNullable<Execution['exception']> {
  if (!(error instanceof Error)) return { type: typeof error, message: '' };
  const [line = ''] = error.message.split(/[\r\n]/, 1);
  return { type: error.name, message: maskedText(line, LONGEST_MESSAGE) };
}
