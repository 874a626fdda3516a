import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../../kernel/clock/clock.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { ScheduledTasks } from './scheduled-tasks.js';
import { type UnavailableLease, type TaskLease, TaskLeases } from './task-leases.js';

const SCHEDULE = { kind: 'fixedDelay', initialDelayMillis: 10, intervalMillis: 1000, onOneReplica: true } as const;

class FakeLeases extends TaskLeases {
  readonly lost = new AbortController();
  readonly rests: number[] = [];
  answer: () => UnavailableLease | Error | undefined = () => undefined;

  take(): Promise<TaskLease | UnavailableLease> {
    const answer = this.answer();
    if (answer instanceof Error) return Promise.reject(answer);
    const release = (restMillis: number): Promise<void> => {
      this.rests.push(restMillis);
      return Promise.resolve();
    };
    return Promise.resolve(answer ?? { fence: 7, lost: this.lost.signal, release });
  }
}

describe('a task that runs on one replica at a time', () => {
  let tasks: ScheduledTasks;
  let leases: FakeLeases;
  let turns: { readonly signal: AbortSignal; readonly fence: number | undefined }[];
  let result: () => Promise<undefined>;

  beforeEach(() => {
    vi.useFakeTimers();
    tasks = new ScheduledTasks(new SystemClock());
    leases = new FakeLeases();
    turns = [];
    result = () => Promise.resolve(undefined);
    tasks.useLeases(leases);
    tasks.repeat('Sweep.run', SCHEDULE, (signal, fence) => {
      turns.push({ signal, fence });
      return result();
    });
    tasks.start();
  });
  afterEach(async () => {
    await tasks.stop();
    vi.useRealTimers();
  });
  const pass = (millis: number): Promise<unknown> => vi.advanceTimersByTimeAsync(millis);

  it('hands the fencing number of its lease to the work', async () => {
    await pass(10);

    expect(turns.map(({ fence }) => fence)).toEqual([7]);
  });

  it('skips the turn while another replica has the lease, which is no execution, and tries again when that may end', async () => {
    leases.answer = () => ({ retryInMillis: 300 });
    await pass(10);
    expect(turns).toEqual([]);
    expect(tasks.all[0]?.lastExecution).toBeUndefined();
    leases.answer = () => undefined;
    await pass(299);
    expect(turns).toHaveLength(0);
    await pass(1);

    expect(turns).toHaveLength(1);
  });

  it('tries again after its interval at the latest', async () => {
    leases.answer = () => ({ retryInMillis: 60_000 });
    await pass(10);
    leases.answer = () => undefined;
    await pass(1000);

    expect(turns).toHaveLength(1);
  });

  it('aborts the signal of the turn once the lease is lost', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    result = () => promise;
    await pass(10);
    expect(turns[0]?.signal.aborted).toBe(false);
    leases.lost.abort();

    expect(turns[0]?.signal.aborted).toBe(true);
    resolve(undefined);
  });

  it('rests after a turn until shortly before the next one of this replica', async () => {
    await pass(10);

    expect(leases.rests).toEqual([900]);
  });

  it('lets another replica try at once after a failure', async () => {
    result = () => Promise.reject(new ServiceError('UNAVAILABLE'));
    await pass(10);

    expect(leases.rests).toEqual([0]);
  });

  it('fails, and goes on, if the lease cannot be asked for', async () => {
    leases.answer = () => new ServiceError('UNAVAILABLE');
    await pass(10);
    expect(tasks.all[0]?.lastExecution?.status).toBe('ERROR');
    leases.answer = () => undefined;
    await pass(1000);

    expect(tasks.all[0]?.lastExecution?.status).toBe('SUCCESS');
    expect(turns).toHaveLength(1);
  });
});
