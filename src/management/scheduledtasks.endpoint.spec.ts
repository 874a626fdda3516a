import { expect, it } from 'vitest';
import { ask } from '../../test/support/http/operation-request.js';
import { ManualClock } from '../../test/support/programs/manual-clock.js';
import { ScheduledTasks } from '../platform/tasks/scheduled-tasks.js';
import { ScheduledTasksEndpoint } from './scheduledtasks.endpoint.js';

type Tasks = Readonly<Record<string, readonly { readonly runnable: unknown }[]>>;

/** The tasks that the endpoint lists, by the kinds of their triggers. */
async function listed(tasks = new ScheduledTasks(new ManualClock())): Promise<Tasks> {
  const { body } = await ask(new ScheduledTasksEndpoint(tasks), 'GET');
  return body as Tasks;
}

it('scheduledtasks lists every kind of trigger without tasks', async () => {
  expect(await listed()).toEqual({ cron: [], fixedDelay: [], fixedRate: [], custom: [] });
});

it('scheduledtasks sorts the tasks of a kind by target', async () => {
  const tasks = new ScheduledTasks(new ManualClock());
  for (const target of ['Sweep.run', 'Keys.refresh', 'Pool.look']) {
    tasks.add(target, { kind: 'fixedDelay', initialDelayMillis: 1, intervalMillis: 1 });
  }

  const { fixedDelay = [] } = await listed(tasks);
  expect(fixedDelay.map(({ runnable }) => runnable)).toEqual([
    { target: 'Keys.refresh' },
    { target: 'Pool.look' },
    { target: 'Sweep.run' },
  ]);
});

it('scheduledtasks lists each task under its kind, with times in milliseconds and instants in UTC', async () => {
  const clock = new ManualClock(Date.UTC(2031, 4, 4, 3) / 1000);
  const tasks = new ScheduledTasks(clock);
  const nightly = tasks.add('TokenCleanup.run', { kind: 'cron', expression: '0 0 3 * * *' });
  await nightly.run(() => Promise.resolve());
  nightly.plan(86_400_000);
  const everyHalfMinute = { initialDelayMillis: 100, intervalMillis: 30_000 };
  tasks.add('PoolHousekeeper.run', { kind: 'fixedDelay', ...everyHalfMinute });
  tasks.add('Keys.refresh', { kind: 'fixedRate', ...everyHalfMinute });
  const failing = tasks.add('Sweep.run', { kind: 'custom', trigger: 'now and then' });
  await failing.run(() => Promise.reject(new RangeError('too late'))).catch(() => undefined);

  expect(await listed(tasks)).toEqual({
    cron: [
      {
        runnable: { target: 'TokenCleanup.run' },
        expression: '0 0 3 * * *',
        nextExecution: { time: '2031-05-05T03:00:00.000Z' },
        lastExecution: { status: 'SUCCESS', time: '2031-05-04T03:00:00.000Z' },
      },
    ],
    fixedDelay: [{ runnable: { target: 'PoolHousekeeper.run' }, initialDelay: 100, interval: 30_000 }],
    fixedRate: [{ runnable: { target: 'Keys.refresh' }, initialDelay: 100, interval: 30_000 }],
    custom: [
      {
        runnable: { target: 'Sweep.run' },
        trigger: 'now and then',
        lastExecution: {
          status: 'ERROR',
          time: '2031-05-04T03:00:00.000Z',
          exception: { type: 'RangeError', message: 'too late' },
        },
      },
    ],
  });
});
