import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../../test/support/programs/manual-clock.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import type { KeyRotation } from './key-rotation.service.js';
import { type SigningKeyLoader, SigningKeyRefresh } from './signing-key-refresh.task.js';

const HALF_A_MINUTE = 30_000;

describe('the refresh of signing keys', () => {
  const turns: string[] = [];
  let failure: Error | undefined;
  const keepUp = (): Promise<void> => {
    turns.push('keep up');
    return failure ? Promise.reject(failure) : Promise.resolve();
  };
  const reload = (): Promise<void> => {
    turns.push('read');
    return Promise.resolve();
  };
  let tasks: ScheduledTasks;

  beforeEach(() => {
    vi.useFakeTimers();
    turns.length = 0;
    failure = undefined;
    tasks = new ScheduledTasks(new ManualClock());
    new SigningKeyRefresh(
      { keepUp } as Partial<KeyRotation> as KeyRotation,
      { reload } as Partial<SigningKeyLoader> as SigningKeyLoader,
      tasks,
    );
    tasks.start();
  });
  afterEach(async () => {
    await tasks.stop();
    vi.useRealTimers();
  });

  it('rotates and reloads the keys every half minute', async () => {
    await vi.advanceTimersByTimeAsync(2 * HALF_A_MINUTE);

    expect(turns).toEqual(['keep up', 'read', 'keep up', 'read']);
  });

  it('is tried again after an outage of the database', async () => {
    failure = new Error('away');
    await vi.advanceTimersByTimeAsync(HALF_A_MINUTE);
    failure = undefined;
    await vi.advanceTimersByTimeAsync(HALF_A_MINUTE);

    expect(turns).toEqual(['keep up', 'keep up', 'read']);
  });

  it('is shown as a task with a next run, also during an outage of the database', async () => {
    failure = new Error('away');
    await vi.advanceTimersByTimeAsync(HALF_A_MINUTE);

    const [task] = tasks.all;
    expect(task?.lastExecution?.status).toBe('ERROR');
    expect(task?.nextAt).toBe(1_800_000_030_000);
  });

  it('does not run after the end of the tasks', async () => {
    await tasks.stop();
    await vi.advanceTimersByTimeAsync(2 * HALF_A_MINUTE);

    expect(turns).toEqual([]);
  });
});
