import type { Random } from '../../kernel/random/random.js';
import type { ScheduledTask } from './scheduled-task.js';
import type { SchedulingPool } from './scheduling-pool.js';
import type { TaskLease, TaskLeases } from './task-leases.js';

/** Result of a turn; `unfinished` work shortens the delay before the next turn. */
export type Turn = 'unfinished' | undefined;

/**
 * The work of one turn. `signal` is aborted at shutdown, which waits until the turn has ended, and once another replica may
 * run a task that runs on one replica. `fence` is the number of its lease.
 */
export type Work = (signal: AbortSignal, fence?: number) => Promise<void> | Promise<Turn>;

/** `fixedDelay` waits after the end of each turn, `fixedRate` counts from its start. */
interface FixedSchedule {
  readonly kind: 'fixedDelay' | 'fixedRate';
  readonly initialDelayMillis: number;
  readonly intervalMillis: number;
  /** The delay after a turn that left work over. */
  readonly unfinishedDelayMillis?: number;
  /** Spreads each delay over 0.5 to 1.5 times its length, so that replicas started together do not run together. */
  readonly jitter?: Random;
}

interface CustomSchedule {
  readonly kind: 'custom';
  /** The schedule in words, for operators. */
  readonly trigger: string;
  /** The delay before the first turn; `delayMillis(0)` if omitted. */
  readonly initialDelayMillis?: number;
  /** The delay before the next turn, given the failures in a row; undefined waits for `resume` or `runNow`. */
  readonly delayMillis: (failures: number) => number | undefined;
}

/**
 * The second step of a stop, such as a deregistration. The turn in progress may end by itself first. After `limitMillis`
 * the signal of both is aborted.
 */
export interface LastStep {
  readonly limitMillis: number;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export type Schedule = (FixedSchedule | CustomSchedule) & {
  /**
   * Runs the turns of all replicas one at a time, and about once in each interval: a replica skips its turn while another
   * one holds the lease of the task, or has run it shortly before.
   */
  readonly onOneReplica?: boolean;
  /** Runs once, after the last turn. */
  readonly lastStep?: LastStep;
  /** Reports a failed turn in place of the line in the log that each first failure in a row gets. */
  readonly onFailure?: (error: unknown, failures: number) => void;
};

/** The part of the delay before the next turn in which no replica runs a task that runs on one replica. */
const REST = 0.9;

/**
 * Repeats work in the background of this process until shutdown; a failed turn does not end the loop. Every replica runs its
 * own loop, whose turns need a lease if the schedule says so. Turns of one loop never overlap, and each takes a place of the
 * pool that all loops share.
 */
export class BackgroundLoop {
  private readonly ending = new AbortController();
  /** Aborted by the stop: a turn that still waits for its place is not run any more. */
  private readonly leaving = new AbortController();
  private stopped: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isRunning = false;
  /** A turn that is due and has not begun. */
  private requested: Promise<void> | undefined;
  /** Consecutive failed turns. */
  private failures = 0;
  private plannedMillis = 0;

  constructor(
    private readonly task: ScheduledTask,
    private readonly schedule: Schedule,
    private readonly work: Work,
    private readonly pool: SchedulingPool,
    private readonly leases: () => TaskLeases | undefined,
  ) {}

  /** Plans the first turn, unless a turn is planned already. */
  start(): void {
    if (this.schedule.kind === 'custom') this.wake(this.schedule.initialDelayMillis ?? this.schedule.delayMillis(0));
    else this.wake(this.spread(this.schedule.initialDelayMillis));
  }

  /** Plans a turn for a custom schedule that was idle. */
  resume(): void {
    this.wake(this.nextDelay(undefined));
  }

  /**
   * Runs a turn at once, after the turn in progress, or as soon as a place is free; resolves after it, whether or not it
   * failed. Requests that arrive before the turn begins share it.
   */
  runNow(): Promise<void> {
    if (this.requested) return this.requested;
    return this.request(this.task.plan(0));
  }

  /** Cancels the planned turn, waits for the one in progress, and then for the last step, if there is one. */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer);
    this.leaving.abort();
    const { lastStep } = this.schedule;
    if (!lastStep) {
      this.ending.abort();
      await this.running;
      return;
    }
    const limit = setTimeout(() => {
      this.ending.abort();
    }, lastStep.limitMillis);
    await this.running;
    await this.runLastStep(lastStep);
    clearTimeout(limit);
  }

  /** Runs the last step. Never rejects, because shutdown must stop the other jobs and close the database. */
  private async runLastStep({ run }: LastStep): Promise<void> {
    try {
      await run(this.ending.signal);
    } catch (error) {
      this.task.reportDefect('The last step of a background task failed', error);
    }
  }

  private wake(delayMillis: number | undefined): void {
    if (!this.timer && !this.isRunning) this.plan(delayMillis);
  }

  private plan(delayMillis: number | undefined): void {
    if (this.requested) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    if (delayMillis === undefined || this.stopped) return;
    this.plannedMillis = delayMillis;
    const dueMillis = this.task.plan(delayMillis);
    this.timer = setTimeout(() => void this.request(dueMillis), delayMillis).unref();
  }

  private request(dueMillis: number): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running = this.running.then(() => this.enter(dueMillis));
    this.requested = this.running;
    return this.running;
  }

  private async enter(dueMillis: number): Promise<void> {
    const hasPlace = await this.pool.enter(dueMillis, this.leaving.signal);
    // A request from now on may be about something that this turn does not see.
    this.requested = undefined;
    if (!hasPlace) return;
    try {
      const leases = this.schedule.onOneReplica ? this.leases() : undefined;
      if (leases) await this.leasedTurn(leases);
      else await this.turn(() => this.work(this.ending.signal));
    } finally {
      this.pool.leave();
    }
  }

  /**
   * Runs a turn with a lease. A turn that another replica runs, or has run shortly before, is skipped and is not an
   * execution of this replica.
   */
  private async leasedTurn(leases: TaskLeases): Promise<void> {
    this.isRunning = true;
    const taking = leases.take(this.task.target);
    const taken = await taking.catch(() => undefined);
    if (!taken) {
      await this.turn(() => taking);
    } else if ('retryInMillis' in taken) {
      this.isRunning = false;
      this.plan(Math.min(taken.retryInMillis, this.nextDelay(undefined) ?? taken.retryInMillis));
    } else {
      await this.turn(() => this.work(AbortSignal.any([this.ending.signal, taken.lost]), taken.fence));
      await this.release(taken);
    }
  }

  /**
   * Releases the lease: the task rests until shortly before the next turn of this replica, but after a failure another
   * replica may try it at once.
   */
  private async release(lease: TaskLease): Promise<void> {
    const restMillis = this.failures > 0 || this.stopped ? 0 : this.plannedMillis * REST;
    // A lease that cannot be ended now expires.
    await lease.release(restMillis).catch(() => undefined);
  }

  private async turn(work: () => Promise<unknown>): Promise<void> {
    this.isRunning = true;
    const run = this.task.run(work);
    const isFixedRate = this.schedule.kind === 'fixedRate';
    if (isFixedRate) this.plan(this.nextDelay(undefined));
    const turn = await this.outcome(run);
    this.isRunning = false;
    if (!isFixedRate) this.plan(this.nextDelay(turn));
  }

  private async outcome(run: Promise<unknown>): Promise<Turn> {
    try {
      const turn = await run;
      if (this.failures > 0 && !this.schedule.onFailure) this.task.reportRecovery(this.failures);
      this.failures = 0;
      return turn === 'unfinished' ? turn : undefined;
    } catch (error) {
      if (this.schedule.onFailure) this.schedule.onFailure(error, this.failures);
      else if (this.failures === 0) this.task.reportDefect('A background task failed and will be retried', error);
      this.failures += 1;
      return undefined;
    }
  }

  private nextDelay(turn: Turn): number | undefined {
    if (this.schedule.kind === 'custom') return this.schedule.delayMillis(this.failures);
    const { intervalMillis, unfinishedDelayMillis = intervalMillis } = this.schedule;
    return this.spread(turn === 'unfinished' ? unfinishedDelayMillis : intervalMillis);
  }

  private spread(millis: number): number {
    const { jitter } = this.schedule as FixedSchedule;
    return jitter ? millis * (0.5 + jitter.bytes(1).readUInt8() / 256) : millis;
  }
}
