import { expect, it } from 'vitest';
import { threadName } from '../../observability/logging/log-context.js';
import { TaskThreads } from './task-threads.js';

it('TaskThreads lists each task from its start to its end, under the name that the log shows as its thread', async () => {
  const threads = new TaskThreads();
  const id = threads.newId();
  const seen: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();

  const run = threads.run(id, 'Sweeper.run', async () => {
    await promise;
    seen.push(threadName(), threads.all);
  });
  expect(threads.all).toEqual([{ id, name: 'Sweeper.run' }]);
  resolve(undefined);
  await run;

  expect(seen).toEqual(['Sweeper.run', [{ id, name: 'Sweeper.run' }]]);
  expect(threads.all).toEqual([]);
});

it('TaskThreads forgets a task that has failed', async () => {
  const threads = new TaskThreads();

  await expect(threads.run(threads.newId(), 'A.run', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(threads.all).toEqual([]);
});

it('the ids of tasks differ from each other and from those of workers', () => {
  const threads = new TaskThreads();

  expect([threads.newId(), threads.newId()]).toEqual([-1, -2]);
});
