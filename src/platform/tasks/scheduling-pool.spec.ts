import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../../kernel/clock/clock.js';
import { Loggers } from '../../observability/logging/loggers.js';
import type { BackgroundLoop, LastStep } from './repeat.js';
import { ScheduledTasks } from './scheduled-tasks.js';
import { SchedulingPool } from './scheduling-pool.js';

const DAY_MILLIS = 24 * 3600 * 1000;

describe('app.task.scheduling.pool.size', () => {
  let tasks: ScheduledTasks;
  let begun: string[];
  let running: number;
  let maxRunning: number;

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    begun = [];
    running = 0;
    maxRunning = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const sized = (size: number): void => {
    tasks = new ScheduledTasks(new SystemClock(), new Loggers(), new SchedulingPool(size));
  };
  const pass = (millis: number): Promise<unknown> => vi.advanceTimersByTimeAsync(millis);

  /** A job that is due first after `dueMillis`, and whose turns take `turnMillis`. */
  const job = (name: string, dueMillis: number, turnMillis: number, lastStep?: LastStep): BackgroundLoop => {
    const schedule = { kind: 'fixedDelay', initialDelayMillis: dueMillis, intervalMillis: DAY_MILLIS } as const;
    return tasks.repeat(name, lastStep ? { ...schedule, lastStep } : schedule, async () => {
      begun.push(name);
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await new Promise((resolve) => setTimeout(resolve, turnMillis));
      running -= 1;
    });
  };
  const last = (name: string): string | undefined =>
    tasks.all.find(({ target }) => target === name)?.lastExecution?.status;

  it('1 lets a long job delay a short one until it has ended', async () => {
    sized(1);
    job('Long.run', 0, 1000);
    job('Short.run', 10, 0);
    tasks.start();
    await pass(999);
    expect(begun).toEqual(['Long.run']);
    await pass(1);

    expect(begun).toEqual(['Long.run', 'Short.run']);
  });

  it('2 lets a short job run beside a long one', async () => {
    sized(2);
    job('Long.run', 0, 1000);
    job('Short.run', 10, 0);
    tasks.start();
    await pass(10);

    expect(begun).toEqual(['Long.run', 'Short.run']);
    expect(last('Long.run')).toBe('STARTED');
  });

  it('lets jobs wait in the order they are due, whatever the order in which they were added', async () => {
    sized(1);
    job('Long.run', 0, 1000);
    job('Third.run', 300, 1);
    job('First.run', 100, 1);
    job('Second.run', 200, 1);
    tasks.start();
    await pass(1100);

    expect(begun).toEqual(['Long.run', 'First.run', 'Second.run', 'Third.run']);
  });

  it('lets jobs that are due together wait in the order in which they came', async () => {
    sized(1);
    for (const name of ['A.run', 'B.run', 'C.run']) job(name, 5, 10);
    tasks.start();
    await pass(100);

    expect(begun).toEqual(['A.run', 'B.run', 'C.run']);
  });

  it('prefers a turn that was due earlier to one that came to wait earlier', async () => {
    const pool = new SchedulingPool(1);
    const { signal } = new AbortController();
    const entered: number[] = [];
    await pool.enter(0, signal);
    const turns = [30, 10, 20, 10].map(async (due) => {
      await pool.enter(due, signal);
      entered.push(due);
      pool.leave();
    });
    pool.leave();
    await Promise.all(turns);

    expect(entered).toEqual([10, 10, 20, 30]);
  });

  it.each([1, 2, 3, 5])('%i limits how many of ten jobs run at the same time', async (size) => {
    sized(size);
    for (let at = 0; at < 10; at += 1) job(`Job${at}.run`, at % 3, 50);
    tasks.start();
    await pass(2000);

    expect(begun).toHaveLength(10);
    expect(maxRunning).toBe(size);
  });

  it('also limits turns that are started at once', async () => {
    sized(1);
    const long = job('Long.run', DAY_MILLIS, 1000);
    const other = job('Other.run', DAY_MILLIS, 0);
    tasks.start();
    const turns = [long.runNow(), other.runNow()];
    await pass(999);
    expect(begun).toEqual(['Long.run']);
    await pass(10);
    await Promise.all(turns);

    expect(begun).toEqual(['Long.run', 'Other.run']);
  });

  it('never lets two turns of one job overlap, even if places are free', async () => {
    sized(5);
    const loop = job('Sweep.run', DAY_MILLIS, 50);
    tasks.start();
    void loop.runNow();
    await pass(10);
    void loop.runNow();
    await pass(39);
    expect([begun.length, maxRunning]).toEqual([1, 1]);
    await pass(51);

    expect([begun.length, maxRunning]).toEqual([2, 1]);
  });

  it('lets requests that arrive before a turn begins share it', async () => {
    sized(1);
    job('Long.run', 0, 1000);
    const loop = job('Wake.run', DAY_MILLIS, 0);
    tasks.start();
    await pass(0);
    const turns = [loop.runNow(), loop.runNow(), loop.runNow()];
    await pass(1010);
    await Promise.all(turns);

    expect(begun).toEqual(['Long.run', 'Wake.run']);
  });

  it('a job that waits for a place keeps its due time as next run, and has no execution yet', async () => {
    sized(1);
    job('Long.run', 0, 1000);
    job('Short.run', 10, 0);
    tasks.start();
    await pass(500);

    const short = tasks.all.find(({ target }) => target === 'Short.run');
    expect(short?.nextAt).toBe(1_800_000_000_010);
    expect(short?.lastExecution).toBeUndefined();
  });

  it('passes the place of a failed turn on', async () => {
    sized(1);
    tasks.repeat(
      'Broken.run',
      { kind: 'fixedDelay', initialDelayMillis: 0, intervalMillis: DAY_MILLIS },
      (): Promise<void> => Promise.reject(new TypeError('broken')),
    );
    job('Next.run', 0, 0);
    tasks.start();
    await pass(0);

    expect(begun).toEqual(['Next.run']);
  });

  it('a stop waits for the turn in progress, and runs none that still waits for a place', async () => {
    sized(1);
    job('Long.run', 0, 1000);
    job('Short.run', 10, 0);
    tasks.start();
    await pass(20);
    let isStopped = false;
    const stopped = tasks.stop().then(() => (isStopped = true));
    await pass(979);
    expect(isStopped).toBe(false);
    await pass(1);
    await stopped;
    await pass(DAY_MILLIS);

    expect(begun).toEqual(['Long.run']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('the last step of a job does not wait for a place', async () => {
    sized(1);
    const seen: string[] = [];
    job('Long.run', 0, 1000);
    const run = (): Promise<void> => {
      seen.push(`with ${running} running`);
      return Promise.resolve();
    };
    job('Requests.process', 10, 0, { limitMillis: 100, run });
    tasks.start();
    await pass(20);
    const stopped = tasks.stop();
    await pass(0);
    expect(seen).toEqual(['with 1 running']);
    await pass(1000);
    await stopped;
  });
});
