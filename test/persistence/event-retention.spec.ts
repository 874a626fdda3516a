import { expect, it } from 'vitest';
import { Duration } from '../../src/config/bind/duration.js';
import { EventRetention } from '../../src/events/event-retention.task.js';
import { EventStore } from '../../src/events/event.store.js';
import { EventProperties } from '../../src/events/events.properties.js';
import { SecurityEvents } from '../../src/events/security-events.service.js';
import { Loggers } from '../../src/logging/loggers.js';
import { SystemRandom } from '../../src/random/random.js';
import { ScheduledTasks } from '../../src/tasks/scheduled-tasks.js';
import { CollectedLog } from '../support/collected-log.js';
import { onEveryDatabase } from '../support/engines.js';
import { ManualClock } from '../support/manual-clock.js';

const DAY = 86_400;

onEveryDatabase('retention of security events', (database) => {
  const clock = new ManualClock(1_800_000_000);
  const log = new CollectedLog();
  const { loggers } = log;

  function retention(days?: number): { readonly task: EventRetention; readonly tasks: ScheduledTasks } {
    const tasks = new ScheduledTasks(clock);
    const kept = days === undefined ? {} : { retention: Duration.ofSeconds(days * DAY) };
    const properties = Object.assign(new EventProperties(), kept);
    const random = new SystemRandom();
    return {
      task: new EventRetention(new EventStore(), database.work, clock, properties, random, tasks, loggers),
      tasks,
    };
  }
  const record = (reasons: readonly string[]): Promise<void> =>
    new SecurityEvents(new EventStore(), clock, new SystemRandom(), new Loggers(), database.work).recordAlone(
      ...reasons.map((reason) => ({ kind: 'MFA_FAILED', subject: 'kept', reason }) as const),
    );
  const reasons = async (): Promise<readonly unknown[]> =>
    (
      await database.work.single((tx) =>
        tx.rows<{ reason: string }>("SELECT reason FROM security_event WHERE user_id = 'kept' ORDER BY id"),
      )
    ).map(({ reason }) => reason);

  it('deletes the events before the limit in batches, keeps all others, and logs the number', async () => {
    await record(Array.from({ length: 300 }, () => 'old'));
    clock.advance(1);
    await record(['at the limit']);
    clock.advance(DAY);
    await record(['new']);

    expect(await retention(1).task.sweep()).toBe(300);

    expect(await reasons()).toEqual(['at the limit', 'new']);
    expect(log.lines).toMatchObject([
      { logger: 'events.retention', level: 'INFO', message: 'Security events beyond their retention are deleted' },
    ]);
    expect(log.lines[0]?.fields).toEqual({ count: 300, end: new Date(clock.millis() - DAY * 1000).toISOString() });
    expect(await retention(1).task.sweep()).toBe(0);
    expect(log.lines).toHaveLength(1);
  });

  it('two replicas delete each event once', async () => {
    await record(Array.from({ length: 200 }, () => 'old'));
    clock.advance(3 * DAY);

    const counts = await Promise.all([retention(1), retention(1)].map(({ task }) => task.sweep()));

    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBeGreaterThanOrEqual(200);
    expect(await reasons()).toEqual([]);
  });

  it('keeps all events and runs no task without a configured retention', async () => {
    await record(['oldest']);
    clock.advance(10_000 * DAY);
    const { task, tasks } = retention();

    expect(await task.sweep()).toBe(0);
    expect(await reasons()).toEqual(['oldest']);
    expect(tasks.all).toEqual([]);
    expect(retention(1).tasks.all.map(({ target }) => target)).toEqual(['EventRetention.sweep']);
  });

  it('both statements follow the primary key, so that no batch reads the whole table', async () => {
    await database.work.single((tx) => tx.change('DELETE FROM security_event'));
    await record(Array.from({ length: 400 }, () => 'planned'));
    const isEmbedded = database.engine === 'SQLite';
    const explain = isEmbedded ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const rows = await database.work.single((tx) =>
      tx.rows<{ id: string }>('SELECT id FROM security_event ORDER BY id'),
    );
    const [first, last, end] = [rows[0]?.id, rows[9]?.id, rows[20]?.id];

    const plans = [
      await database.dataSource.query<object[]>(
        `${explain} SELECT id FROM security_event WHERE id > '${first}' AND id < '${end}' ORDER BY id LIMIT 10`,
      ),
      await database.dataSource.query<object[]>(
        `${explain} DELETE FROM security_event WHERE id > '${first}' AND id <= '${last}'`,
      ),
    ];

    const embedded = /SEARCH security_event USING (?:COVERING )?(?:PRIMARY KEY|INDEX)[^"]*\(id>\? AND id<\?\)/;
    const expected = isEmbedded ? embedded : /"type":"range".*"key":"PRIMARY"/;
    expect(plans.map((plan) => JSON.stringify(plan))).toEqual(
      plans.map(() => expect.stringMatching(expected) as string),
    );
  });
});
