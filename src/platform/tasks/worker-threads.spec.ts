import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { WorkerThreads } from './worker-threads.js';

it('WorkerThreads lists each worker from its start to its end', async () => {
  const threads = new WorkerThreads();
  threads.listen();
  onTestFinished(() => {
    threads.stop();
  });
  const worker = new Worker('setInterval(() => undefined, 1000)', { eval: true });
  await once(worker, 'online');
  const { threadId: id } = worker;

  expect(threads.all).toEqual([{ id, name: `worker-${id}` }]);
  await worker.terminate();

  expect(threads.all).toEqual([]);
});
