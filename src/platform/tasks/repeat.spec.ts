import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CollectedLog } from '../../../test/support/programs/collected-log.js';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { Random } from '../../kernel/random/random.js';
import type { Schedule, Turn, Work } from './repeat.js';
import { ScheduledTasks } from './scheduled-tasks.js';

const START_MILLIS = 1_800_000_000_000;
const DELAY = { kind: 'fixedDelay', initialDelayMillis: 10, intervalMillis: 100 } as const;
const RATE = { kind: 'fixedRate', initialDelayMillis: 10, intervalMillis: 100 } as const;

class FixedRandom extends Random {
  constructor(private readonly value: number) {
    super();
  }

  bytes(length: number): Buffer {
    return Buffer.alloc(length, this.value);
  }
}

describe('a background loop', () => {
  let log: CollectedLog;
  let tasks: ScheduledTasks;
  let turns: number;
  let result: () => Promise<Turn>;

  beforeEach(() => {
    vi.useFakeTimers();
    log = new CollectedLog();
    tasks = new ScheduledTasks(new ManualClock(), log.loggers);
    turns = 0;
    result = () => Promise.resolve(undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const work: Work = () => {
    turns += 1;
    return result();
  };
  const started = (schedule: Schedule): ReturnType<ScheduledTasks['repeat']> => {
    const loop = tasks.repeat('Sweep.run', schedule, work);
    tasks.start();
    return loop;
  };
  const pass = (millis: number): Promise<unknown> => vi.advanceTimersByTimeAsync(millis);
  const takes = (millis: number) => () =>
    new Promise<Turn>((resolve) => {
      setTimeout(() => {
        resolve(undefined);
      }, millis);
    });

  it('begins after the initial delay, once the application has started', async () => {
    tasks.repeat('Sweep.run', DELAY, work);
    await pass(1000);
    expect(turns).toBe(0);
    tasks.start();
    await pass(9);
    expect(turns).toBe(0);
    await pass(1);

    expect(turns).toBe(1);
  });

  it('begins at once if it is added after the start of the application', async () => {
    tasks.start();
    tasks.repeat('Sweep.run', DELAY, work);
    await pass(10);

    expect(turns).toBe(1);
  });

  it.each([
    ['delay counts from the end of a turn', DELAY, 160],
    ['rate counts from the start of a turn', RATE, 100],
  ])('a fixed %s', async (_title, schedule, period) => {
    result = takes(60);
    started(schedule);
    await pass(10 + 3 * period - 1);
    expect(turns).toBe(3);
    await pass(1);

    expect(turns).toBe(4);
  });

  it('never runs two turns at the same time', async () => {
    result = takes(250);
    started(RATE);
    await pass(10 + 249);
    expect(turns).toBe(1);
    await pass(1);

    expect(turns).toBe(2);
  });

  it('is listed with its trigger and its next run', async () => {
    started(DELAY);
    const [task] = tasks.all;
    expect(task).toMatchObject({ target: 'Sweep.run', trigger: DELAY, nextAt: START_MILLIS + 10 });
    await pass(10);

    expect(task).toMatchObject({ nextAt: START_MILLIS + 100, lastExecution: { status: 'SUCCESS' } });
  });

  it('a turn with remaining work is followed after the shorter delay', async () => {
    result = () => Promise.resolve('unfinished');
    started({ ...DELAY, unfinishedDelayMillis: 5 });
    await pass(10 + 5);

    expect(turns).toBe(2);
  });

  it.each([
    [0, 0.5],
    [128, 1],
    [255, 0.5 + 255 / 256],
  ])('jitter %i makes each delay %d times as long', (byte, factor) => {
    started({ ...DELAY, jitter: new FixedRandom(byte) });

    expect(tasks.all[0]?.nextAt).toBe(START_MILLIS + 10 * factor);
  });

  it('continues after a failure, and logs the first failure in a row and the recovery', async () => {
    const failure = new TypeError('no such column');
    result = () => Promise.reject(failure);
    started(DELAY);
    await pass(10 + 100);
    result = () => Promise.resolve(undefined);
    await pass(200);

    expect(turns).toBe(4);
    expect(log.lines).toMatchObject([
      { level: 'ERROR', logger: 'tasks', error: failure, fields: { task: 'Sweep.run' }, thread: 'main' },
      { level: 'INFO', logger: 'tasks', fields: { task: 'Sweep.run', failures: 2 } },
    ]);
  });

  it('does not log failures that are logged elsewhere, such as an outage of the database', async () => {
    result = () => Promise.reject(new ServiceError('UNAVAILABLE'));
    started(DELAY);
    await pass(10);

    expect(log.lines).toEqual([]);
    expect(tasks.all[0]?.lastExecution?.status).toBe('ERROR');
  });

  it('a custom schedule chooses each delay by the failures in a row, and reports them itself', async () => {
    const reported: number[] = [];
    const delayMillis = (failures: number): number => 100 / (failures + 1);
    const onFailure = (_error: unknown, failures: number): void => void reported.push(failures);
    result = () => Promise.reject(new Error('away'));
    started({ kind: 'custom', trigger: 'sooner after a failure', initialDelayMillis: 0, delayMillis, onFailure });
    await pass(0);
    expect(tasks.all[0]?.nextAt).toBe(START_MILLIS + 50);
    await pass(50);

    expect(tasks.all[0]?.nextAt).toBe(START_MILLIS + 100 / 3);
    expect(reported).toEqual([0, 1]);
    expect(log.lines).toEqual([]);
  });

  it('a custom schedule without a delay is idle until it is resumed', async () => {
    let open = 0;
    const delayMillis = (): number | undefined => (open > 0 ? 20 : undefined);
    result = () => {
      open -= 1;
      return Promise.resolve(undefined);
    };
    const loop = started({ kind: 'custom', trigger: 'while any is open', delayMillis });
    await pass(100);
    expect(turns).toBe(0);
    open = 2;
    loop.resume();
    loop.resume();
    await pass(100);

    expect(turns).toBe(2);
  });

  it('runs at once on request, in place of the planned turn and after the turn in progress', async () => {
    result = takes(30);
    const loop = started(DELAY);
    await pass(10);
    const requested = loop.runNow();
    await pass(29);
    expect(turns).toBe(1);
    await pass(31);
    await requested;
    expect(turns).toBe(2);
    await pass(99);

    expect(turns).toBe(2);
  });

  it('stops after the turn in progress, whose signal is aborted', async () => {
    const seen: boolean[] = [];
    let signalOf: AbortSignal | undefined;
    tasks.repeat('Sweep.run', DELAY, async (signal) => {
      signalOf = signal;
      await takes(50)();
      seen.push(signal.aborted);
    });
    tasks.start();
    await pass(10);
    expect(signalOf?.aborted).toBe(false);
    const stopped = tasks.stop();
    await pass(50);
    await stopped;
    await pass(1000);

    expect(seen).toEqual([true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a stop runs the last step once, after the turn in progress and before the signal is aborted', async () => {
    const seen: string[] = [];
    const run = (signal: AbortSignal): Promise<void> => {
      seen.push(`last step, aborted: ${signal.aborted}`);
      return Promise.resolve();
    };
    tasks.repeat('Registration.register', { ...DELAY, lastStep: { limitMillis: 100, run } }, async (signal) => {
      await takes(50)();
      seen.push(`turn, aborted: ${signal.aborted}`);
    });
    tasks.start();
    await pass(10);
    const stopped = Promise.all([tasks.stop(), tasks.stop()]);
    await pass(50);
    await stopped;
    await pass(1000);

    expect(seen).toEqual(['turn, aborted: false', 'last step, aborted: false']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a stop aborts the signal of a turn and of the last step after the limit', async () => {
    const endless = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
    const lastStep = { limitMillis: 100, run: endless };
    tasks.repeat('Registration.register', { ...DELAY, lastStep }, endless);
    tasks.start();
    await pass(10);
    let isStopped = false;
    const stopped = tasks.stop().then(() => (isStopped = true));
    await pass(99);
    expect(isStopped).toBe(false);
    await pass(1);
    await stopped;

    expect(isStopped).toBe(true);
  });

  it.each([
    ['a defect is logged', new TypeError('broken'), ['ERROR The last step of a background task failed']],
    ['an outage was logged where it arose', new ServiceError('UNAVAILABLE'), []],
  ])('a stop waits for all other jobs although a last step fails: %s', async (_, error, lines) => {
    const lastStep = { limitMillis: 100, run: (): Promise<void> => Promise.reject(error) };
    tasks.repeat('Requests.process', { ...DELAY, lastStep }, work);
    result = takes(50);
    started(DELAY);
    await pass(10);
    let isStopped = false;
    const stopped = tasks.stop().then(() => (isStopped = true));
    await pass(49);
    expect(isStopped).toBe(false);
    await pass(1);
    await stopped;

    expect(log.messages).toEqual(lines);
    expect(vi.getTimerCount()).toBe(0);
  });
});
