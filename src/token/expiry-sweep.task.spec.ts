import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { UnitOfWork } from '../persistence/unit-of-work.js';
import { SystemRandom } from '../random/random.js';
import { ExpiryStore } from './expiry.store.js';
import { ExpirySweep } from './expiry-sweep.task.js';

const LONGEST_WAIT = 7.5 * 60_000;

describe('the sweep', () => {
  let turns = 0;
  let failure: Error | undefined;
  const single = (): Promise<readonly never[]> => {
    turns += 1;
    return failure ? Promise.reject(failure) : Promise.resolve([]);
  };
  const work = { single } as unknown as UnitOfWork;
  let sweep: ExpirySweep;

  beforeEach(() => {
    vi.useFakeTimers();
    turns = 0;
    failure = undefined;
    sweep = new ExpirySweep(new ExpiryStore(), work, new ManualClock(), new SystemRandom());
    sweep.onApplicationBootstrap();
  });
  afterEach(async () => {
    await sweep.onModuleDestroy();
    vi.useRealTimers();
  });

  it('looks at every table every few minutes, not all replicas at once', async () => {
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT / 3 - 1);
    expect(turns).toBe(0);
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT);

    expect(turns).toBeGreaterThanOrEqual(4);
    expect(turns % 4).toBe(0);
  });

  it('goes on after the database was away', async () => {
    failure = new Error('away');
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT);
    failure = undefined;
    const before = turns;
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT);

    expect(turns - before).toBeGreaterThanOrEqual(4);
  });

  it('stops with the service', async () => {
    await sweep.onModuleDestroy();
    await vi.advanceTimersByTimeAsync(3 * LONGEST_WAIT);

    expect(turns).toBe(0);
  });
});
