import { type Connection, createConnection } from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, unitOfWork } from '../../../src/platform/persistence/database.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { withRequestContext } from '../../../src/kernel/principal/request-context.js';
import { type FreshDatabase, freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const MARK = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
const MAXIMUM = 3;
const LIMITED = { settings: { maximumPoolSize: MAXIMUM, connectionTimeout: 1000 } };

interface Session {
  readonly info: string | null;
}

needs('mariadb')('statements that a request has abandoned under a table lock', () => {
  let database: FreshDatabase;
  let administrator: Connection;
  let dataSource: DataSource;
  let work: UnitOfWork;

  beforeEach(async () => {
    database = await freshMariadbDatabase();
    dataSource = await openDatabase(database, LIMITED);
    work = unitOfWork(dataSource);
    const { host, port, user, password } = database.server;
    administrator = await createConnection({ host, port, user, password });
    await administrator.query(`LOCK TABLES ${database.username}.used_mfa_token WRITE`);
  });

  afterEach(async () => {
    await administrator.end();
    if (dataSource.isInitialized) await dataSource.destroy();
  });

  async function sessions(): Promise<readonly Session[]> {
    const [rows] = await administrator.query('SELECT INFO AS info FROM information_schema.PROCESSLIST WHERE USER = ?', [
      database.username,
    ]);
    return rows as unknown as readonly Session[];
  }

  const waiting = (all: readonly Session[]): number => all.filter(({ info }) => info?.startsWith('INSERT')).length;

  function inRequest<T>(run: () => Promise<T>): Promise<T> {
    return withRequestContext({ requestId: 'request', ip: '192.0.2.1' }, run);
  }

  it('D3: the server never has more abandoned statements than maximum-pool-size, and none once the requests have failed', async () => {
    const counts: { readonly all: number; readonly waiting: number }[] = [];
    const errors: unknown[] = [];
    let isOver = false;
    const burst = Promise.all(
      Array.from({ length: 2 * MAXIMUM }, async (_, client) => {
        for (let number = 0; number < 6; number += 1) {
          const insert = (): Promise<boolean> => work.single((tx) => tx.insert(MARK, [`${client} ${number}`, 1]));
          errors.push(await inRequest(insert).catch((error: unknown) => error));
        }
      }),
    );
    void burst.then(() => (isOver = true));
    await waitUntil('the requests have failed', async () => {
      const all = await sessions();
      counts.push({ all: all.length, waiting: waiting(all) });
      return isOver;
    });

    expect(new Set(errors.map((error) => (error as { code?: unknown }).code))).toEqual(new Set(['UNAVAILABLE']));
    expect(Math.max(...counts.map((count) => count.waiting))).toBe(MAXIMUM);
    // One more session ends the others, and the server may still list the one that did so before.
    expect(Math.max(...counts.map(({ all }) => all))).toBeLessThanOrEqual(MAXIMUM + 2);
    await waitUntil('no statement is left', async () => waiting(await sessions()) === 0);
    await administrator.query('UNLOCK TABLES');
    await waitUntil('units of work succeed again', () =>
      work
        .single((tx) => tx.insert(MARK, ['afterwards', 1]))
        .then(
          () => true,
          () => false,
        ),
    );
    expect(await work.single((tx) => tx.rows('SELECT jti FROM used_mfa_token'))).toEqual([{ jti: 'afterwards' }]);
  });

  it('D3: nothing of a transaction is stored that was cancelled before its COMMIT', async () => {
    const failed = inRequest(() =>
      work.run((tx) => Promise.all([tx.insert(MARK, ['first', 1]), tx.insert(MARK, ['second', 1])])),
    );
    await expect(failed).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await waitUntil('no statement is left', async () => waiting(await sessions()) === 0);
    await administrator.query('UNLOCK TABLES');

    expect(await work.single((tx) => tx.rows('SELECT jti FROM used_mfa_token'))).toEqual([]);
  });

  it('D3: a pool that is closed leaves no session at the server', async () => {
    const failed = work.single((tx) => tx.insert(MARK, ['task', 1])).catch((error: unknown) => error);
    await waitUntil('the server executes the statement', async () => waiting(await sessions()) === 1);

    await dataSource.destroy();

    expect(await failed).toMatchObject({ code: 'UNAVAILABLE' });
    expect(waiting(await sessions())).toBe(0);
    // The server needs a moment to notice that the session that has ended the others is closed.
    await waitUntil('the server has no session', async () => (await sessions()).length === 0);
  });
});
