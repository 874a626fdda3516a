import { describe, expect, it } from 'vitest';
import { CollectedLog } from '../../../test/support/programs/collected-log.js';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { withRequestContext } from '../../kernel/principal/request-context.js';
import type { ScheduledTask } from './scheduled-task.js';
import { ScheduledTasks } from './scheduled-tasks.js';

const START_MILLIS = 1_800_000_000_000;

describe('a scheduled task', () => {
  const clock = new ManualClock();
  const added = (): ScheduledTask =>
    new ScheduledTasks(clock).add('Sweeper.run', { kind: 'custom', trigger: 'now and then' });

  it('has no next run and no execution before it is planned', () => {
    const task = added();

    expect(task.lastExecution).toBeUndefined();
    expect(task.nextAt).toBeUndefined();
  });

  it('has the time of its next run', () => {
    const task = added();
    task.plan(1500);

    expect(task.nextAt).toBe(START_MILLIS + 1500);
  });

  it('is STARTED while it runs, and has no next run until it is planned again', async () => {
    const task = added();
    task.plan(0);
    const seen: unknown[] = [];
    await task.run(() => {
      seen.push(task.lastExecution, task.nextAt);
      return Promise.resolve();
    });

    expect(seen).toEqual([{ status: 'STARTED', at: START_MILLIS }, undefined]);
  });

  it('logs under its name, without the context of the request that set its timer', async () => {
    const { loggers, lines } = new CollectedLog();
    const facts = { requestId: 'a', ip: '192.0.2.1', user: 'anna' };

    await withRequestContext(facts, () =>
      added().run(async () => {
        await Promise.resolve();
        loggers.get('a').info('swept');
      }),
    );
    withRequestContext(facts, () => {
      loggers.get('a').info('asked');
    });

    expect(lines.map(({ thread, context }) => [thread, context])).toEqual([
      ['Sweeper.run', undefined],
      ['main', facts],
    ]);
  });

  it('returns the result of its work', async () => {
    const task = added();

    expect(await task.run(() => Promise.resolve(7))).toBe(7);
    expect(task.lastExecution).toEqual({ status: 'SUCCESS', at: START_MILLIS });
  });

  it('rethrows the error of its work, and keeps its name and message', async () => {
    const task = added();
    const failure = new TypeError('no connection\nSELECT everything');

    await expect(task.run(() => Promise.reject(failure))).rejects.toBe(failure);

    const exception = { type: 'TypeError', message: 'no connection' };
    expect(task.lastExecution).toEqual({ status: 'ERROR', at: START_MILLIS, exception });
  });

  it.each([
    ['cannot reach mysql://login:open-sesame@db:3306/login', 'cannot reach mysql://******@db:3306/login'],
    ['refused: password=open-sesame of login', 'refused: password=****** of login'],
    ['refused { password: "open-sesame" }', 'refused { password: ****** }'],
    ['Authorization: Bearer open-sesame', 'Authorization: ******'],
    [`no row of ${'A2'.repeat(16)}`, 'no row of ******'],
    [`no ${'x'.repeat(190)} token=open-sesame`, `no ${'x'.repeat(190)} token=... (cut)`],
  ])('L1: keeps no secret of the error %j', async (message, noted) => {
    const task = added();
    const run = task.run(() => Promise.reject(new Error(message)));

    await expect(run).rejects.toThrow();

    expect(task.lastExecution?.exception?.message).toBe(noted);
  });
});
