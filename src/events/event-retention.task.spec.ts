import { expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { Duration } from '../config/bind/duration.js';
import { Loggers } from '../logging/loggers.js';
import type { UnitOfWork } from '../persistence/unit-of-work.js';
import { SystemRandom } from '../random/random.js';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { EventRetention } from './event-retention.task.js';
import type { EventStore } from './event.store.js';
import { EventProperties } from './events.properties.js';

it('a turn is unfinished if it found its limit of events, also if another replica has deleted them', async () => {
  const clock = new ManualClock();
  const store = {
    idsBetween: (_: unknown, __: string, ___: string, rows: number) =>
      Promise.resolve(Array.from({ length: rows }, String)),
    deleteBetween: () => Promise.resolve(0),
  } as unknown as EventStore;
  const work = { single: (run: (tx: unknown) => unknown) => run({}) } as unknown as UnitOfWork;
  const properties = Object.assign(new EventProperties(), { retention: Duration.ofSeconds(86_400) });
  const tasks = new ScheduledTasks(clock);
  const retention = new EventRetention(store, work, clock, properties, new SystemRandom(), tasks, new Loggers());

  expect(await retention.sweep()).toBeGreaterThanOrEqual(10_000);
});
