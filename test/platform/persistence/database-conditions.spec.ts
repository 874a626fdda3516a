import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { HealthComponents } from '../../../src/observability/health/health-components.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { DatabaseInstrumentation } from '../../../src/platform/persistence/database-instrumentation.js';
import { dataSourceOptions, openDatabase, poolOf, unitOfWork } from '../../../src/platform/persistence/database.js';
import { PoolProperties } from '../../../src/platform/persistence/datasource.properties.js';
import { DbIndicator } from '../../../src/platform/persistence/db.indicator.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { FakeDatabaseServer } from '../../support/database/fake-database-server.js';
import { type FreshDatabase, freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const MARK = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
const HALF_A_MINUTE = 30_000;

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Service {
  readonly work: UnitOfWork;
  readonly log: CollectedLog;
  readonly health: () => Promise<string>;
  /** Moves the clock of the log and of health. */
  readonly pass: (millis: number) => void;
}

function serviceOn(dataSource: DataSource): Service {
  const log = new CollectedLog();
  const clock = { millis: 0 };
  const instrumentation = new DatabaseInstrumentation(
    new Meters(),
    log.loggers,
    'front',
    undefined,
    () => clock.millis,
  );
  const indicator = new DbIndicator(dataSource, new PoolProperties(), new HealthComponents(), instrumentation);
  return {
    work: unitOfWork(dataSource, new SystemRandom(), instrumentation),
    log,
    health: () =>
      indicator.check(new AbortController().signal).then(
        ({ status, details }) => [status, details?.['error']].join(' ').trim(),
        (error: unknown) => `DOWN ${(error as Error).message}`,
      ),
    pass(millis) {
      clock.millis += millis;
    },
  };
}

/** The errors of as many units of work as needed until one fails. */
async function firstFailure(work: UnitOfWork): Promise<unknown> {
  for (let number = 0; number < 5000; number += 1) {
    const failure: unknown = await work
      .run((tx) => tx.insert(MARK, [`number ${number}`, number]))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    if (failure !== undefined) return failure;
  }
  throw new Error('the database is not full');
}

async function fails(work: UnitOfWork, times: number): Promise<void> {
  for (let number = 0; number < times; number += 1) {
    await expect(work.run((tx) => tx.insert(MARK, [`again ${number} ${'x'.repeat(20)}`, 1]))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      facts: { retryAfterSeconds: 1 },
    });
  }
}

describe('a server that refuses statements', () => {
  it.each([
    [1021, 'full'],
    [1114, 'full'],
    [1142, 'lacks a right'],
    [1290, 'read-only'],
    [1461, 'prepared statements'],
    [1226, 'no more connections'],
    [1969, 'limit'],
    [3024, 'limit'],
    [1030, 'storage'],
  ])(
    'D4: error %i is an unavailable database, with one warning per minute that names the reason',
    async (refuse, reason) => {
      const server = new FakeDatabaseServer();
      await server.open();
      endings.push(() => server.close());
      const url = `jdbc:mariadb://127.0.0.1:${server.port}/login`;
      const dataSource = new DataSource(await dataSourceOptions({ url }, { settings: { connectionTimeout: 20_000 } }));
      endings.push(() => dataSource.destroy().catch(() => undefined));
      const { work, log, pass } = serviceOn(dataSource);
      server.behaviour = { refuse };

      await fails(work, 5);
      pass(59_000);
      await fails(work, 1);
      expect(log.lines).toMatchObject([
        {
          level: 'WARN',
          fields: { driver: expect.any(String) as string, reason: expect.stringContaining(reason) as string },
        },
      ]);
      pass(2000);
      await fails(work, 1);
      expect(log.lines).toMatchObject([{}, { level: 'WARN', fields: { suppressed: 5 } }]);
    },
  );

  it('D4: an error of the service itself is not a condition of the database', async () => {
    const server = new FakeDatabaseServer();
    await server.open();
    endings.push(() => server.close());
    const url = `jdbc:mariadb://127.0.0.1:${server.port}/login`;
    const dataSource = new DataSource(await dataSourceOptions({ url }));
    endings.push(() => dataSource.destroy().catch(() => undefined));
    const { work, log } = serviceOn(dataSource);
    server.behaviour = { refuse: 1064 };

    await expect(work.run((tx) => tx.insert(MARK, ['a', 1]))).rejects.toMatchObject({ errno: 1064 });
    expect(log.lines).toEqual([]);
  });
});

it('D4: an embedded database without space is unavailable, and health is DOWN until writes have succeeded for a while', async () => {
  const dataSource = await openDatabase({ url: `jdbc:sqlite:${join(temporaryFolder('full'), 'login.db')}` });
  endings.push(() => dataSource.destroy());
  const { work, log, health, pass } = serviceOn(dataSource);
  const [{ page_count: pages } = { page_count: 0 }] =
    await dataSource.query<{ page_count: number }[]>('PRAGMA page_count');
  expect(await health()).toBe('UP');
  await dataSource.query(`PRAGMA max_page_count = ${pages}`);

  expect(await firstFailure(work)).toMatchObject({ code: 'UNAVAILABLE', facts: { retryAfterSeconds: 1 } });

  expect(await health()).toBe('DOWN the disk of the database, a table or its log is full');
  expect(log.lines).toMatchObject([{ level: 'WARN', fields: { driver: 'SQLITE 13' } }]);
  await dataSource.query(`PRAGMA max_page_count = ${2 * pages}`);
  pass(HALF_A_MINUTE);
  expect(await work.run((tx) => tx.insert(MARK, ['afterwards', 1]))).toBe(true);
  expect(await health()).toBe('UP');
});

needs('mariadb')('a MariaDB that cannot be written', () => {
  async function opened(): Promise<Service & { readonly database: FreshDatabase; readonly reconnect: () => void }> {
    const database = await freshMariadbDatabase();
    const dataSource = await openDatabase(database);
    endings.push(() => dataSource.destroy());
    return { ...serviceOn(dataSource), database, reconnect: () => poolOf(dataSource)?.evict(() => true) };
  }

  async function administer({ server }: FreshDatabase, ...statements: readonly string[]): Promise<void> {
    const { host, port, user, password } = server;
    const connection = await createConnection({ host, port, user, password });
    for (const statement of statements) await connection.query(statement);
    await connection.end();
  }

  it('D4: health is DOWN while the account may not insert, and requests get UNAVAILABLE', async () => {
    const { work, health, pass, database, reconnect } = await opened();
    const account = `'${database.username}'@'${database.server.host}'`;
    expect(await health()).toBe('UP');

    await administer(
      database,
      `REVOKE ALL PRIVILEGES ON ${database.username}.* FROM ${account}`,
      `GRANT SELECT, UPDATE, DELETE ON ${database.username}.* TO ${account}`,
    );
    // The server reads the rights of an account on its database when a session begins.
    reconnect();
    expect(await health()).toMatch(/^DOWN INSERT command denied/);
    await fails(work, 2);
    await administer(database, `GRANT INSERT ON ${database.username}.* TO ${account}`);
    reconnect();
    pass(HALF_A_MINUTE);

    expect(await health()).toBe('UP');
  });

  it('D4: health is DOWN after a full table, although the server answers', async () => {
    const { work, health, pass, database } = await opened();
    const table = `${database.username}.used_mfa_token`;
    await administer(database, 'SET SESSION max_heap_table_size = 16384', `ALTER TABLE ${table} ENGINE = MEMORY`);

    expect(await firstFailure(work)).toMatchObject({ code: 'UNAVAILABLE', facts: { retryAfterSeconds: 1 } });
    expect(await health()).toBe('DOWN the disk of the database, a table or its log is full');
    await administer(database, `ALTER TABLE ${table} ENGINE = InnoDB`);
    pass(HALF_A_MINUTE);

    expect(await health()).toBe('UP');
  });
});
