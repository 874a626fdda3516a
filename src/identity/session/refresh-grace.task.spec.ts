import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import type { Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { ScheduledTasks } from '../../platform/tasks/scheduled-tasks.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import { RefreshProperties } from './session.properties.js';
import { RefreshGrace } from './refresh-grace.task.js';

describe('sealed successors', () => {
  const clock = new ManualClock();
  const forgotten: unknown[] = [];
  let failure: Error | undefined;
  const change = (_sql: string, values?: readonly unknown[]): Promise<number> => {
    if (failure) return Promise.reject(failure);
    forgotten.push(...(values ?? []).slice(1));
    return Promise.resolve(1);
  };
  const single: UnitOfWork['single'] = (statement) => statement({ change } as Partial<Tx> as Tx);
  let tasks: ScheduledTasks;
  let successors: RefreshGrace;

  beforeEach(() => {
    vi.useFakeTimers();
    forgotten.length = 0;
    failure = undefined;
    const work = { single } as unknown as UnitOfWork;
    tasks = new ScheduledTasks(clock);
    successors = new RefreshGrace(new RefreshTokenStore(), work, clock, new RefreshProperties(), tasks);
  });
  afterEach(async () => {
    await tasks.stop();
    vi.useRealTimers();
  });

  const pass = async (seconds: number): Promise<void> => {
    clock.advance(seconds);
    await vi.advanceTimersByTimeAsync(seconds * 1000);
  };

  it('are removed after the grace of each', async () => {
    successors.schedule('first');
    await pass(6);
    successors.schedule('second');
    await pass(4);
    expect(forgotten).toEqual([]);
    await pass(1);
    expect(forgotten).toEqual(['first']);
    await pass(11);

    expect(forgotten).toEqual(['first', 'second']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are removed in batches', async () => {
    const hashes = Array.from({ length: 450 }, (_, index) => `hash-${index}`);
    for (const hash of hashes) successors.schedule(hash);
    await pass(11);

    expect(forgotten).toEqual(hashes);
  });

  it('are removed later after an outage of the database', async () => {
    successors.schedule('first');
    failure = new Error('away');
    await pass(11);
    failure = undefined;
    await pass(11);

    expect(forgotten).toEqual(['first']);
  });

  it('are not removed after the tasks have stopped', async () => {
    successors.schedule('first');
    await tasks.stop();
    await pass(30);

    expect(forgotten).toEqual([]);
  });
});
