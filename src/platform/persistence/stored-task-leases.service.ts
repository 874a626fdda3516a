import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Random } from '../../kernel/random/random.js';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { type UnavailableLease, type TaskLease, TaskLeases } from '../tasks/task-leases.js';
import { type StoredLease, TaskLeaseStore } from './task-lease.store.js';
import { UnitOfWork } from './unit-of-work.js';

/** Duration of a lease, after which another replica replaces a holder that was killed. */
const LEASE_MILLIS = 30_000;
const RENEW_MILLIS = 10_000;
/** Difference of two clocks up to which two replicas never run a task at the same time. */
const SKEW_MILLIS = 5000;
/** Longest wait for the next turn; a lease that ends later was written before a clock was set back. */
const MAX_REST_MILLIS = 2 * 3600 * 1000;

/** Leases in the table that all replicas share. */
@Injectable()
export class StoredTaskLeases extends TaskLeases {
  private readonly holder: string;

  constructor(
    private readonly store: TaskLeaseStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    random: Random,
    tasks: ScheduledTasks,
  ) {
    super();
    this.holder = random.text(16);
    tasks.useLeases(this);
  }

  async take(task: string): Promise<TaskLease | UnavailableLease> {
    const startedAt = performance.now();
    const read = await this.work.single((tx) => this.store.find(tx, task));
    const now = this.clock.millis();
    const waitMillis = read ? freeIn(read, now) : 0;
    if (waitMillis > 0) return { retryInMillis: waitMillis };
    const expiresAt = now + LEASE_MILLIS;
    const isTaken = await this.work.single((tx) =>
      read ? this.store.take(tx, task, this.holder, expiresAt, read) : this.store.add(tx, task, this.holder, expiresAt),
    );
    if (!isTaken) return { retryInMillis: LEASE_MILLIS + SKEW_MILLIS };
    return this.held(task, (read?.fence ?? 0) + 1, startedAt);
  }

  private held(task: string, fence: number, startedAt: number): TaskLease {
    const lost = new AbortController();
    const lose = (): void => {
      clearInterval(renewal);
      clearTimeout(end);
      lost.abort();
    };
    // Measured from before the statement, so that this process stops before another one may begin.
    const endAfter = (from: number): NodeJS.Timeout =>
      setTimeout(lose, LEASE_MILLIS - (performance.now() - from)).unref();
    let end = endAfter(startedAt);
    const renew = async (): Promise<void> => {
      const from = performance.now();
      if (!(await this.renew(task, fence))) {
        lose();
      } else if (!lost.signal.aborted) {
        clearTimeout(end);
        end = endAfter(from);
      }
    };
    // A failed renewal is repeated until the lease ends; the outage was logged where it arose.
    const renewal = setInterval(() => void renew().catch(() => undefined), RENEW_MILLIS).unref();
    return {
      fence,
      lost: lost.signal,
      release: async (restMillis) => {
        lose();
        const until = this.clock.millis() + Math.min(restMillis, MAX_REST_MILLIS);
        await this.work.single((tx) => this.store.release(tx, task, this.holder, fence, until));
      },
    };
  }

  private renew(task: string, fence: number): Promise<boolean> {
    return this.work.single((tx) => this.store.renew(tx, task, this.holder, fence, this.clock.millis() + LEASE_MILLIS));
  }
}

/** Milliseconds until another replica may take the lease; 0 or less if it may now. */
function freeIn({ holder, expires_at: expiresAt }: StoredLease, now: number): number {
  const [longest, margin] = holder === null ? [MAX_REST_MILLIS, 0] : [LEASE_MILLIS, SKEW_MILLIS];
  const waitMillis = expiresAt + margin - now;
  return waitMillis > longest + 2 * SKEW_MILLIS ? 0 : waitMillis;
}
