import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { EventStore } from '../../../src/identity/events/event.store.js';
import { SecurityEvents } from '../../../src/identity/events/security-events.service.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { openDatabase, unitOfWork } from '../../../src/platform/persistence/database.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { withRequestContext } from '../../../src/kernel/principal/request-context.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Door } from '../../support/programs/door.js';
import { type FreshDatabase, freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { needs } from '../../support/runner/needs.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const LIMIT_MILLIS = 3000;
/** Seconds of a statement that exceeds the limit. */
const BEYOND = (1.5 * LIMIT_MILLIS) / 1000;
const LIMITED = { settings: { connectionTimeout: LIMIT_MILLIS } };

needs('mariadb')('a unit of work on an unresponsive database server', () => {
  let door: Door;
  let dataSource: DataSource;
  let work: UnitOfWork;
  let database: FreshDatabase;

  beforeEach(async () => {
    database = await freshMariadbDatabase();
    const { url, username, password, server } = database;
    door = new Door(server);
    await door.open();
    const address = url.replace(`:${server.port}/`, `:${door.port}/`);
    dataSource = await openDatabase({ url: address, username, password }, LIMITED);
    work = unitOfWork(dataSource);
  });

  afterEach(async () => {
    await door.shut();
    await dataSource.destroy();
  });

  it('H1: a unit of work whose COMMIT gets no response fails, and its connection is not reused', async () => {
    const told: string[] = [];
    const ids: unknown[] = [];
    const unit = (): Promise<void> =>
      work.run(async (tx) => {
        tx.afterCommit(() => told.push('kept'));
        ids.push(...(await tx.rows('SELECT CONNECTION_ID() AS id')));
        if (ids.length === 1) door.fallSilent();
      });

    await expect(inRequest(unit)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(told).toEqual([]);
    await door.shut();
    await door.open();
    await waitUntil('units of work succeed again', () =>
      inRequest(unit).then(
        () => true,
        () => false,
      ),
    );

    expect(told).toEqual(['kept']);
    expect(ids.at(-1)).not.toEqual(ids[0]);
  });

  it('H1: a request fails at once after its first statement has timed out', async () => {
    door.fallSilent();

    const asked = inRequest(async () => {
      const first = await work.single((tx) => tx.rows('SELECT 1')).catch((error: unknown) => error);
      const begun = performance.now();
      const second = await work.single((tx) => tx.rows('SELECT 1')).catch((error: unknown) => error);
      return { first, second, took: performance.now() - begun };
    });

    expect(await asked).toMatchObject({ first: { code: 'UNAVAILABLE' }, second: { code: 'UNAVAILABLE' } });
    expect((await asked).took).toBeLessThan(LIMIT_MILLIS);
  });

  it('H1: a result that arrives while the process is busy beyond the limit is read', async () => {
    // The door runs in this process and would be just as busy.
    const direct = await openDatabase(database, LIMITED);
    const ask = (): Promise<unknown> => unitOfWork(direct).single((tx) => tx.rows('SELECT 1 AS one'));
    const askWhileBusy = (): Promise<unknown> =>
      unitOfWork(direct).single(async (tx) => {
        const answer = tx.rows('SELECT 1 AS one');
        // Statements are written at the end of the turn in which they are issued; no result is read before the next turn.
        await new Promise<void>((resolve) => {
          process.nextTick(resolve);
        });
        keepBusy(LIMIT_MILLIS + 200);
        return answer;
      });
    // The first time prepares the statement, which is a round trip of its own.
    await inRequest(ask);

    expect(await inRequest(askWhileBusy)).toEqual([{ one: 1 }]);
    await direct.destroy();
  });

  it('H1: a long statement of a request is cut off at the limit, and one of a task or a command is not', async () => {
    const long = (): Promise<unknown> => work.single((tx) => tx.rows(`SELECT SLEEP(${BEYOND}) AS slept`));

    await expect(inRequest(long)).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(await long()).toEqual([{ slept: 0 }]);
  });

  it('H1: the events of other requests are stored although one request of their group has timed out', async () => {
    const events = new SecurityEvents(
      new EventStore(),
      new ManualClock(1_800_000_000),
      new SystemRandom(),
      new Loggers(),
      work,
    );
    const record = (subject: string): Promise<void> => events.recordAlone({ kind: 'MFA_CHALLENGED', subject });

    await inRequest(async () => {
      await work.single((tx) => tx.rows(`SELECT SLEEP(${BEYOND})`)).catch(() => undefined);
      await Promise.all([record('late'), ...['anna', 'ben'].map((subject) => inRequest(() => record(subject)))]);
    });

    const stored = await work.single((tx) => events.ofUser(tx, 'ben', { limit: 1 }));
    expect(stored).toMatchObject([{ user_id: 'ben', request_id: 'request' }]);
  });
});

function keepBusy(millis: number): void {
  const end = performance.now() + millis;
  while (performance.now() < end);
}

function inRequest<T>(run: () => Promise<T>): Promise<T> {
  return withRequestContext({ requestId: 'request', ip: '192.0.2.1' }, run);
}
