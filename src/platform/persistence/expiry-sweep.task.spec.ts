import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import type { SqlMapper } from './mapper/sql-mapper.js';
import type { UnitOfWork } from './unit-of-work.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { expiringTable, expiringTables } from './expiring-tables.js';
import { ExpirySweep } from './expiry-sweep.task.js';

const MAX_WAIT_MILLIS = 7.5 * 60_000;

expiringTable('session', 'id');
expiringTable('saml_request', 'id', 60);

describe('ExpirySweep', () => {
  let turns = 0;
  let failure: Error | undefined;
  const single = (): Promise<readonly never[]> => {
    turns += 1;
    return failure ? Promise.reject(failure) : Promise.resolve([]);
  };
  const work = { single } as unknown as UnitOfWork;
  let tasks: ScheduledTasks;

  beforeEach(() => {
    vi.useFakeTimers();
    turns = 0;
    failure = undefined;
    const clock = new ManualClock();
    tasks = new ScheduledTasks(clock);
    new ExpirySweep(work, {} as SqlMapper, clock, new SystemRandom(), tasks);
    tasks.start();
  });
  afterEach(async () => {
    await tasks.stop();
    vi.useRealTimers();
  });

  it('sweeps every table every few minutes with jitter', async () => {
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MILLIS / 3 - 1);
    expect(turns).toBe(0);
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MILLIS);

    expect(turns).toBeGreaterThanOrEqual(expiringTables().length);
    expect(turns % expiringTables().length).toBe(0);
  });

  it('continues after a failure of the database', async () => {
    failure = new Error('away');
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MILLIS);
    failure = undefined;
    const before = turns;
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MILLIS);

    expect(turns - before).toBeGreaterThanOrEqual(expiringTables().length);
  });

  it('is listed as a scheduled task with its next run and last result', async () => {
    const [task] = tasks.all;
    expect(task?.target).toBe('ExpirySweep.sweep');
    expect(task?.nextAt).toBeGreaterThanOrEqual(1_800_000_150_000);
    expect(task?.nextAt).toBeLessThan(1_800_000_450_000);
    failure = new Error('away');

    await vi.advanceTimersByTimeAsync(MAX_WAIT_MILLIS);

    expect(task?.lastExecution).toMatchObject({ status: 'ERROR', exception: { type: 'Error', message: 'away' } });
  });

  it('a turn continues soon, also if another replica has deleted the rows that it found', async () => {
    let reads = 0;
    const mapper = {
      select: (_: unknown, __: unknown, { limit }: { limit: number }) => {
        reads += 1;
        return Promise.resolve(Array.from({ length: limit }, String));
      },
      change: () => Promise.resolve(0),
    } as unknown as SqlMapper;
    const clock = new ManualClock();
    const both = new ScheduledTasks(clock);
    const direct = { single: (run: (tx: unknown) => unknown) => run({}) } as unknown as UnitOfWork;
    new ExpirySweep(direct, mapper, clock, new SystemRandom(), both);
    both.start();

    await vi.advanceTimersByTimeAsync(MAX_WAIT_MILLIS);
    const first = reads;
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MILLIS / 60);

    expect(first).toBeGreaterThan(0);
    expect(reads).toBeGreaterThan(first);
    await both.stop();
  });

  it('stops at shutdown', async () => {
    await tasks.stop();
    await vi.advanceTimersByTimeAsync(3 * MAX_WAIT_MILLIS);

    expect(turns).toBe(0);
  });
});
