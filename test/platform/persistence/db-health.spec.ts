import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { Duration } from '../../../src/config/bind/duration.js';
import { HealthComponents } from '../../../src/observability/health/health-components.js';
import { openDatabase } from '../../../src/platform/persistence/database.js';
import { DatabaseInstrumentation } from '../../../src/platform/persistence/database-instrumentation.js';
import { DbIndicator } from '../../../src/platform/persistence/db.indicator.js';
import { PoolProperties } from '../../../src/platform/persistence/datasource.properties.js';
import { startDatabaseServer } from '../../support/database/database-server.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

function indicator(dataSource: DataSource, keys: Partial<PoolProperties> = {}): DbIndicator {
  return new DbIndicator(
    dataSource,
    Object.assign(new PoolProperties(), keys),
    new HealthComponents(),
    new DatabaseInstrumentation(),
  );
}

function check(dataSource: DataSource, keys: Partial<PoolProperties> = {}, signal = new AbortController().signal) {
  return indicator(dataSource, keys).check(signal);
}

onEveryDatabase('the health indicator db', (database) => {
  it('reports UP with the product name, by a ping when no query is configured', async () => {
    expect(await check(database.dataSource)).toEqual({
      status: 'UP',
      details: { database: database.engine, validationQuery: 'isValid()' },
    });
  });

  it('reports UP with the executed query and its result', async () => {
    const isEmbedded = database.engine === 'SQLite';

    expect(await check(database.dataSource, { connectionTestQuery: 'SELECT 1 FROM DUAL' })).toEqual({
      status: 'UP',
      details: {
        database: database.engine,
        validationQuery: isEmbedded ? 'SELECT 1' : 'SELECT 1 FROM DUAL',
        result: 1,
      },
    });
  });

  it('fails with the error of the database for an invalid query', async () => {
    await expect(check(database.dataSource, { connectionTestQuery: 'SELECT x FROM nowhere' })).rejects.toThrow(
      /nowhere/,
    );
  });

  it('a failed check leaves the connections usable', async () => {
    await Promise.allSettled(
      Array.from({ length: 30 }, () => check(database.dataSource, { connectionTestQuery: 'SELECT x FROM nowhere' })),
    );

    expect(await database.work.single((tx) => tx.rows<{ one: number }>('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});

it.each([
  ['1s', 1000],
  ['250ms', 250],
  // Below the minimum the pool uses its default.
  ['249ms', 5000],
  ['0ms', 5000],
])('validation-timeout %s bounds the check by %i ms', async (text, limit) => {
  const dataSource = await openDatabase({ url: `jdbc:sqlite:${join(temporaryFolder('db-health'), 'login.db')}` });

  const { limitMillis } = indicator(dataSource, { validationTimeout: Duration.parse(text) as Duration });
  await dataSource.destroy();

  expect(limitMillis).toBe(limit);
});

describe('the health of SQLite', () => {
  it('the check fails while the database file is missing or replaced, which SQLite does not notice', async () => {
    const file = join(temporaryFolder('db-health'), 'login.db');
    const dataSource = await openDatabase({ url: `jdbc:sqlite:${file}` });
    const db = indicator(dataSource);
    const { signal } = new AbortController();

    renameSync(file, `${file}.away`);
    await expect(db.check(signal)).rejects.toThrow('the file of the database cannot be found');
    writeFileSync(file, '');
    await expect(db.check(signal)).rejects.toThrow('the file of the database is another one than at the start');
    rmSync(file);
    renameSync(`${file}.away`, file);

    expect((await db.check(signal)).status).toBe('UP');
    await dataSource.destroy();
    await expect(db.check(signal)).rejects.toThrow(/./);
  });

  it('the check succeeds for a database in memory', async () => {
    const dataSource = await openDatabase({ url: 'jdbc:sqlite::memory:' });

    expect((await check(dataSource)).status).toBe('UP');
    await dataSource.destroy();
  });
});

needs('mariadb')('the health of MariaDB', () => {
  it('the check fails while the database server is stopped', async () => {
    const folder = temporaryFolder('mariadb');
    const server = await startDatabaseServer('mariadb', folder, []);
    const { host, port, user, password } = server;
    const account = { url: `jdbc:mariadb://${host}:${port}/mysql`, username: user, password };
    const dataSource = await openDatabase(account);
    const db = indicator(dataSource);
    const { signal } = new AbortController();
    const before = await db.check(signal);

    await server.stop();

    await expect(db.check(signal)).rejects.toThrow(/./);
    expect(before.status).toBe('UP');
    await dataSource.destroy();
  });

  it('an aborted check is given up, and its connection is replaced', async () => {
    const dataSource = await openDatabase(await freshMariadbDatabase());
    const ending = new AbortController();
    const asked = 'SELECT SLEEP(120)';

    const health = check(dataSource, { connectionTestQuery: asked }, ending.signal);
    await waitUntil('the server executes the statement', async () => {
      const rows: readonly { readonly Info: string | null }[] = await dataSource.query('SHOW PROCESSLIST');
      return rows.some(({ Info }) => Info === asked);
    });
    ending.abort();

    await expect(health).rejects.toThrow('given up');
    // The pool has ten connections; the checks succeed only if none is missing.
    expect(await Promise.all(Array.from({ length: 30 }, () => check(dataSource)))).toHaveLength(30);
    await dataSource.destroy();
  });
});
