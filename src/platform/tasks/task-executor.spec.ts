import { beforeEach, describe, expect, it } from 'vitest';
import { CollectedLog } from '../../../test/support/programs/collected-log.js';
import { readings } from '../../../test/support/management/meter-readings.js';
import { threadName } from '../../observability/logging/log-context.js';
import { Meters } from '../../observability/metrics/meters.js';
import { withRequestContext } from '../../kernel/principal/request-context.js';
import { type ExecutionLimits, type RejectedTask, TaskExecutor } from './task-executor.js';
import { TaskThreads } from './task-threads.js';

const NAME = 'task-execution';

describe('the executor of background tasks', () => {
  let log: CollectedLog;
  let meters: Meters;
  let threads: TaskThreads;
  let executor: TaskExecutor;
  let begun: string[];
  let ends: Map<string, PromiseWithResolvers<string>>;
  let names: string[];

  beforeEach(() => {
    log = new CollectedLog();
    meters = new Meters();
    threads = new TaskThreads();
    begun = [];
    names = [];
    ends = new Map();
  });

  const limited = (coreSize: number, maxSize = Infinity, queueCapacity = Infinity): void => {
    const limits: ExecutionLimits = { coreSize, maxSize, queueCapacity, threadNamePrefix: 'async-' };
    executor = new TaskExecutor(limits, threads, meters, log.loggers);
  };
  /** Submits a task that runs until `end` is called. */
  const submit = (task: string): 'accepted' | RejectedTask['rejected'] => {
    const end = Promise.withResolvers<string>();
    ends.set(task, end);
    const submitted = executor.submit(task, () => {
      begun.push(task);
      names.push(threadName());
      return end.promise;
    });
    if ('rejected' in submitted) return submitted.rejected;
    submitted.result.catch(() => undefined);
    return 'accepted';
  };
  const submitAll = (...tasks: readonly string[]): readonly string[] => tasks.map(submit);
  /** Lets all tasks begin or end whose turn has come. */
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = async (task: string): Promise<void> => {
    ends.get(task)?.resolve(task);
    await settle();
  };
  const now = (meter: string): number | undefined => readings(meters, meter, 'VALUE')[NAME];
  const total = (meter: string): number | undefined => readings(meters, meter)[NAME];

  it('starts a task at once while fewer than core-size run', () => {
    limited(2, 4, 1);
    submitAll('a', 'b');

    expect(begun).toEqual(['a', 'b']);
  });

  it('lets a task wait once core-size run, although max-size is larger', () => {
    limited(2, 4, 1);
    submitAll('a', 'b', 'c');

    expect(begun).toEqual(['a', 'b']);
    expect(now('executor.queued.tasks')).toBe(1);
  });

  it('starts a task before those that wait once the queue is full, while fewer than max-size run', () => {
    limited(2, 4, 1);
    submitAll('a', 'b', 'waits', 'd', 'e');

    expect(begun).toEqual(['a', 'b', 'd', 'e']);
  });

  it('rejects a task once the queue is full and max-size run', () => {
    limited(2, 4, 1);

    expect(submitAll('a', 'b', 'waits', 'd', 'e', 'f')).toEqual([
      ...['accepted', 'accepted', 'accepted', 'accepted', 'accepted'],
      'full',
    ]);
    expect(begun).not.toContain('f');
  });

  it('never exceeds core-size if the queue has no limit, whatever max-size is', async () => {
    limited(2, 16);
    submitAll(...Array.from({ length: 50 }, (_, at) => `task ${at}`));
    await settle();

    expect(begun).toHaveLength(2);
    expect(now('executor.queued.tasks')).toBe(48);
  });

  it('lets no task wait with a queue-capacity of 0', () => {
    limited(1, 2, 0);

    expect(submitAll('a', 'b', 'c')).toEqual(['accepted', 'accepted', 'full']);
    expect(begun).toEqual(['a', 'b']);
  });

  it('starts any number of tasks without max-size once the queue is full', () => {
    limited(1, Infinity, 1);
    submitAll('a', 'waits', 'c', 'd', 'e');

    expect(begun).toEqual(['a', 'c', 'd', 'e']);
  });

  it('starts those that wait in the order in which they came', async () => {
    limited(1, 1, 3);
    submitAll('a', 'b', 'c', 'd');
    for (const task of ['a', 'b', 'c']) await end(task);

    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a place above core-size takes tasks that wait, and ends when none does', async () => {
    limited(1, 2, 1);
    submitAll('a', 'b', 'c');
    await end('c');
    expect(begun).toEqual(['a', 'c', 'b']);
    await end('b');
    submit('d');

    expect(begun).toEqual(['a', 'c', 'b']);
    expect(now('executor.pool.size.threads')).toBe(1);
  });

  it('a submitter that waits for the end of a task finds its place free', async () => {
    limited(1, 1, 0);
    const first = executor.submit('a', () => Promise.resolve());
    expect(submit('b')).toBe('full');
    await ('result' in first && first.result);

    expect(submit('c')).toBe('accepted');
  });

  it('hands the result and the error of a task to its submitter, and runs the next one after either', async () => {
    limited(1);
    const failure = new TypeError('no such column');
    const works = [() => Promise.resolve(7), () => Promise.reject<number>(failure), () => Promise.resolve(8)];
    const submitted = works.map((work) => executor.submit('Sender.send', work));
    const results = submitted.flatMap((each) => ('result' in each ? [each.result] : []));

    expect(await Promise.allSettled(results)).toEqual([
      { status: 'fulfilled', value: 7 },
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: 8 },
    ]);
  });

  it('names each task after its place, the lowest free number of which is used again', async () => {
    limited(2);
    submitAll('a', 'b', 'c');
    await end('b');
    await end('a');
    await end('c');
    submitAll('d', 'e');

    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(names).toEqual(['async-1', 'async-2', 'async-2', 'async-1', 'async-2']);
  });

  it('keeps the id of a place, by which consoles follow a thread', async () => {
    limited(1);
    submitAll('a', 'b');
    const [first] = threads.all;
    await end('a');

    expect(threads.all).toEqual([first]);
    expect(first?.name).toBe('async-1');
  });

  it('a task logs without the context of the request that submitted it', async () => {
    limited(1);
    withRequestContext({ requestId: 'a', ip: '192.0.2.1', user: 'anna' }, () => {
      executor.submit('Sender.send', () => {
        log.loggers.get('a').info('sent');
        return Promise.resolve();
      });
    });
    await settle();

    expect(log.lines).toMatchObject([{ message: 'sent', thread: 'async-1' }]);
    expect(log.lines[0]?.context).toBeUndefined();
  });

  it('logs the first rejection of a bout, and its end with their number', async () => {
    limited(1, 1, 1);
    submitAll('a', 'b', 'c', 'd');
    await end('a');
    submitAll('e', 'f');
    expect(log.lines).toMatchObject([{ level: 'WARN', logger: 'tasks', fields: { task: 'c', active: 1, queued: 1 } }]);
    await end('b');
    await end('e');
    submitAll('g', 'h', 'i');

    expect(log.messages).toEqual([
      'WARN A background task was rejected: pool and queue are full',
      'INFO Background tasks are accepted again',
      'WARN A background task was rejected: pool and queue are full',
    ]);
    expect(log.lines[1]?.fields).toEqual({ rejected: 3 });
  });

  it('has meters of its tasks and places, from the start', async () => {
    limited(2, 3, 1);
    expect(now('executor.pool.size.threads')).toBe(2);
    expect(total('executor.rejected.tasks')).toBe(0);
    submitAll('a', 'b', 'c', 'd', 'e');
    expect(now('executor.active.threads')).toBe(3);
    expect(now('executor.pool.size.threads')).toBe(3);
    expect(now('executor.queued.tasks')).toBe(1);
    expect(total('executor.rejected.tasks')).toBe(1);
    for (const task of ['a', 'b', 'c', 'd']) await end(task);

    expect(now('executor.active.threads')).toBe(0);
    expect(total('executor.completed.tasks')).toBe(4);
  });

  it('a stop waits for the tasks that run and those that wait, and rejects further ones without a warning', async () => {
    limited(1);
    submitAll('a', 'b');
    let isStopped = false;
    const stopped = executor.stop().then(() => (isStopped = true));
    expect(submit('c')).toBe('stopping');
    await end('a');
    expect(isStopped).toBe(false);
    expect(executor.unfinished).toEqual(['b (async-1)']);
    await end('b');
    await stopped;

    expect(begun).toEqual(['a', 'b']);
    expect(total('executor.rejected.tasks')).toBe(1);
    expect(log.lines).toEqual([]);
  });

  it('a stop of an idle executor is immediate', async () => {
    limited(1);

    await expect(executor.stop()).resolves.toBeUndefined();
  });

  it('lists the tasks that have not ended, with their place', () => {
    limited(1);
    submitAll('Sender.send', 'Other.send');

    expect(executor.unfinished).toEqual(['Sender.send (async-1)', 'Other.send (queued)']);
  });
});
