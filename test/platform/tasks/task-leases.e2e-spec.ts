import { expect, it } from 'vitest';
import { storyOn } from '../../support/login/login-story.js';
import { managed, OPERATOR } from '../../support/management/management.js';
import type { RunningService } from '../../support/programs/service.js';
import { MovedClock } from '../../support/programs/moved-clock.js';
import { needs } from '../../support/runner/needs.js';
import { MARIADB, onEachEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

interface TaskView {
  readonly runnable: { readonly target: string };
  readonly nextExecution?: { readonly time: string };
  readonly lastExecution?: { readonly status: string };
}

const MANAGEMENT = [
  '--management.endpoints.web.exposure.include=*',
  `--management.security.user=${OPERATOR.user}`,
  `--management.security.password=${OPERATOR.password}`,
];
const JOB = 'AbandonedImports.settle';

async function viewAt(service: RunningService, target: string): Promise<TaskView | undefined> {
  const { body } = await managed(service).operator.get('/scheduledtasks');
  const all = Object.values(body as Record<string, readonly TaskView[]>).flat();
  return all.find(({ runnable }) => runnable.target === target);
}

onEachEngine('two services', (engine) => {
  const story = storyOn(engine, {
    services: 2,
    isAlone: true,
    args: MANAGEMENT,
  });

  /** The task at each of the services. */
  const views = (target: string): Promise<readonly (TaskView | undefined)[]> =>
    Promise.all(story.services.map((service) => viewAt(service, target)));

  it('share a job that runs on one replica at a time, and each run the jobs of their own memory', async () => {
    await waitUntil('both have run a job of their own', async () =>
      (await views('LockedAccounts.look')).every((view) => view?.lastExecution?.status === 'SUCCESS'),
    );
    const shared = async (): Promise<readonly object[]> => {
      // The first turn of each is due after 1 s, by the clock of the services.
      const later = story.clock.millis + 5000;
      return (await views(JOB)).map((view) => ({
        last: view?.lastExecution?.status ?? 'none',
        isPlannedLater: Date.parse(view?.nextExecution?.time ?? '') > later,
      }));
    };
    // After a turn that fails at a busy disk, the other one takes the job when it looks again, after 35 s.
    await expect.poll(shared, { timeout: 90_000 }).toEqual(
      expect.arrayContaining([
        { last: 'SUCCESS', isPlannedLater: true },
        { last: expect.stringMatching(/^(?:none|ERROR)$/) as unknown, isPlannedLater: true },
      ]),
    );
  }, 120_000);
});

needs('mariadb')('a service that is killed during the turn of a job, on MariaDB', () => {
  const story = storyOn(MARIADB, { isAlone: true, args: MANAGEMENT });
  // A statement that only reads may release the row before it sleeps.
  const locking = 'UPDATE account_import SET expires_at = expires_at + SLEEP(120) WHERE slot = 1';

  const fence = async (): Promise<number | undefined> => {
    const sql = 'SELECT fence FROM task_lease WHERE task = ? AND holder IS NOT NULL';
    return (await story.database.query<{ readonly fence: number }>(sql, [JOB]))[0]?.fence;
  };
  /** Ends the statement that keeps the row locked. */
  const unlock = async (): Promise<void> => {
    const sql =
      "SELECT id FROM information_schema.processlist WHERE info LIKE 'UPDATE account_import%' AND state = 'User sleep'";
    for (const { id } of await story.database.query<{ readonly id: number }>(sql)) {
      await story.database.query(`KILL ${id}`);
    }
  };
  const isLocked = async (): Promise<boolean> => {
    const sql =
      "SELECT id FROM information_schema.processlist WHERE info LIKE 'UPDATE account_import%' AND state = 'User sleep'";
    return (await story.database.query(sql)).length > 0;
  };

  it('is replaced after the end of its lease by another process, whose clock is 2 s ahead, with a higher fence', async () => {
    // The service has run the job once, and rests: a minute later it is due.
    await waitUntil('the job has run, and its lease is released', async () => {
      const sql = 'SELECT fence FROM task_lease WHERE task = ? AND holder IS NULL';
      return (await story.database.query(sql, [JOB])).length > 0;
    });
    await story.service.kill();
    story.clock.advance(60);
    const row =
      "INSERT INTO account_import (slot, holder, state, first_id, expires_at) VALUES (1, 'gone', 'staging', ' ', 1)";
    await story.database.query(row);
    const lock = story.database.query(locking).catch(() => undefined);
    await waitUntil('the row is locked', isLocked);
    await story.restart();
    const first = await waitUntil('the turn has begun', fence);
    await waitUntil(
      'the turn is running',
      async () => (await viewAt(story.service, JOB))?.lastExecution?.status === 'STARTED',
    );

    await story.service.kill();
    await unlock();
    await lock;
    const ahead = new MovedClock();
    // 31 seconds after the lease was taken; another process takes it 35 seconds after that by its own clock.
    ahead.advance((story.clock.millis - ahead.millis) / 1000 + 31 + 2);
    const other = await story.join(ahead);
    const refused = await waitUntil('the other one has asked for the lease', async () => {
      const view = await viewAt(other, JOB);
      // The first turn is due after 1 s, and the one after a refusal when the lease ends.
      const isAsked = Date.parse(view?.nextExecution?.time ?? '') === ahead.millis + 2000;
      return isAsked && view;
    });
    expect(refused.lastExecution).toBeUndefined();
    expect(await fence()).toBe(first);

    ahead.advance(2);
    await waitUntil(
      'the other one has run it',
      async () => (await viewAt(other, JOB))?.lastExecution?.status === 'SUCCESS',
    );
    const [after] = await story.database.query('SELECT fence FROM task_lease WHERE task = ?', [JOB]);
    expect(after).toEqual({ fence: first + 1 });
    expect(await story.database.query('SELECT slot FROM account_import')).toEqual([]);
  });
});
