import { expect, it } from 'vitest';
import { ManualClock } from '../../test/support/programs/manual-clock.js';
import { ask } from '../../test/support/http/operation-request.js';
import type { TaskThreads } from '../platform/tasks/task-threads.js';
import type { WorkerThreads } from '../platform/tasks/worker-threads.js';
import { ThreadDumpEndpoint } from './threaddump.endpoint.js';

const workers = {
  all: [
    { id: 1, name: 'worker-1' },
    { id: 4, name: 'worker-4' },
  ],
} as Partial<WorkerThreads> as WorkerThreads;
const tasks = { all: [{ id: -3, name: 'Sweeper.run' }] } as Partial<TaskThreads> as TaskThreads;
const endpoint = new ThreadDumpEndpoint(workers, tasks, new ManualClock(Date.UTC(2031, 4, 4) / 1000));

it('M3: a thread dump lists the event loop, each worker and each task in progress with the members that consoles read', async () => {
  const { body } = await ask(endpoint, 'GET');

  const facts = { blockedTime: -1, blockedCount: 0, waitedTime: -1, waitedCount: 0, inNative: false, suspended: false };
  const locks = { lockedMonitors: [], lockedSynchronizers: [], lockOwnerId: -1, priority: 5 };
  const alive = { ...facts, ...locks, threadState: 'RUNNABLE', stackTrace: [] };
  expect(body).toEqual({
    threads: [
      { threadName: 'main', threadId: 0, daemon: false, ...alive },
      { threadName: 'worker-1', threadId: 1, daemon: true, ...alive },
      { threadName: 'worker-4', threadId: 4, daemon: true, ...alive },
      { threadName: 'Sweeper.run', threadId: -3, daemon: true, ...alive },
    ],
  });
});

it('a thread dump is text if text/plain is negotiated', async () => {
  const { body } = await ask(endpoint, 'GET', { mediaType: 'text/plain' });

  expect(body).toBe(
    [
      '2031-05-04T00:00:00.000Z',
      `Threads of Node.js ${process.version}:`,
      ...['', '"main" #0', '   state: RUNNABLE'],
      ...['', '"worker-1" #1 daemon', '   state: RUNNABLE'],
      ...['', '"worker-4" #4 daemon', '   state: RUNNABLE'],
      ...['', '"Sweeper.run" #-3 daemon', '   state: RUNNABLE'],
      '',
    ].join('\n'),
  );
});
