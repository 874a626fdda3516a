import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { Duration } from '../../src/config/bind/duration.js';
import { HealthComponents } from '../../src/health/health-components.js';
import { openDatabase } from '../../src/persistence/database.js';
import { DbIndicator } from '../../src/persistence/db.indicator.js';
import { PoolProperties } from '../../src/persistence/datasource.properties.js';
import { startDatabaseServer } from '../support/database-server.js';
import { onEveryDatabase } from '../support/engines.js';
import { freshMariadbDatabase } from '../support/fresh-database.js';
import { needs } from '../support/needs.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

function indicator(dataSource: DataSource, keys: Partial<PoolProperties> = {}): DbIndicator {
  return new DbIndicator(dataSource, Object.assign(new PoolProperties(), keys), new HealthComponents());
}

function check(dataSource: DataSource, keys: Partial<PoolProperties> = {}, signal = new AbortController().signal) {
  return indicator(dataSource, keys).check(signal);
}

onEveryDatabase('the health of the database', (database) => {
  it('is UP with the name of the product, by a ping where no query is configured', async () => {
    expect(await check(database.dataSource)).toEqual({
      status: 'UP',
      details: { database: database.engine, validationQuery: 'isValid()' },
    });
  });

  it('is UP with the query that was really asked, and its result', async () => {
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

  it('fails with what the database says where the query cannot be asked', async () => {
    await expect(check(database.dataSource, { connectionTestQuery: 'SELECT x FROM nowhere' })).rejects.toThrow(
      /nowhere/,
    );
  });

  it('leaves the connection as good as it was', async () => {
    await Promise.allSettled(
      Array.from({ length: 30 }, () => check(database.dataSource, { connectionTestQuery: 'SELECT x FROM nowhere' })),
    );

    expect(await database.work.single((tx) => tx.rows<{ one: number }>('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});

it.each([
  ['1s', 1000],
  ['250ms', 250],
  // The pool takes its default instead of a wait that is none.
  ['249ms', 5000],
  ['0ms', 5000],
])('validation-timeout %s bounds the check by %i ms', async (text, limit) => {
  const dataSource = await openDatabase({ url: `jdbc:sqlite:${join(temporaryFolder('db-health'), 'login.db')}` });

  const { limitMillis } = indicator(dataSource, { validationTimeout: Duration.parse(text) as Duration });
  await dataSource.destroy();

  expect(limitMillis).toBe(limit);
});

describe('the health of the embedded database', () => {
  it('is bad while its file is away, which SQLite itself does not notice', async () => {
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

  it('is good in memory, where there is no file', async () => {
    const dataSource = await openDatabase({ url: 'jdbc:sqlite::memory:' });

    expect((await check(dataSource)).status).toBe('UP');
    await dataSource.destroy();
  });
});

needs('mariadb')('the health of a database server', () => {
  it('is bad while it is stopped', async () => {
    const folder = temporaryFolder('mariadb');
    const server = await startDatabaseServer('mariadb', folder, []);
    const { host, port, user, password } = server;
    const dataSource = await openDatabase({ url: `jdbc:mariadb://${host}:${port}/mysql`, username: user, password });
    const db = indicator(dataSource);
    const { signal } = new AbortController();
    const before = await db.check(signal);

    await server.stop();

    await expect(db.check(signal)).rejects.toThrow(/./);
    expect(before.status).toBe('UP');
    await dataSource.destroy();
  });

  it('is given up when nobody waits any more, and the connection with it', async () => {
    const dataSource = await openDatabase(await freshMariadbDatabase());
    const ending = new AbortController();
    const asked = 'SELECT SLEEP(120)';

    const health = check(dataSource, { connectionTestQuery: asked }, ending.signal);
    await waitUntil('the server works at it', async () => {
      const rows: readonly { readonly Info: string | null }[] = await dataSource.query('SHOW PROCESSLIST');
      return rows.some(({ Info }) => Info === asked);
    });
    ending.abort();

    await expect(health).rejects.toThrow('given up');
    // Ten connections are all of them: none is missing.
    expect(await Promise.all(Array.from({ length: 30 }, () => check(dataSource)))).toHaveLength(30);
    await dataSource.destroy();
  });
});
