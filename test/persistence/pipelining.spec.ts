import type { Connection } from 'mysql2';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, poolOf } from '../../src/persistence/database.js';
import { unitOfWork } from '../../src/persistence/persistence.module.js';
import type { Tx, UnitOfWork } from '../../src/persistence/unit-of-work.js';
import { Door } from '../support/door.js';
import { onEveryDatabase } from '../support/engines.js';
import { freshMariadbDatabase } from '../support/fresh-database.js';
import { needs } from '../support/needs.js';

type Callback = (error: Error | null) => void;
type Query = (sql: string, callback: Callback) => unknown;

const MARK = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
const MOVE = 'UPDATE used_mfa_token SET expires_at = expires_at + 1 WHERE jti = ?';
const READ = 'SELECT jti, expires_at FROM used_mfa_token WHERE jti LIKE ? ORDER BY jti';

onEveryDatabase('concurrent statements of a unit of work', (database) => {
  const marks = (pattern: string): Promise<readonly unknown[]> =>
    database.work.single((tx) => tx.rows(READ, [pattern]));

  it('are executed in the order in which they were issued, prepared before or not', async () => {
    await database.work.single((tx) => tx.insert(MARK, ['ordered', 1]));
    const read = (tx: Tx): Promise<readonly unknown[]> => tx.rows(READ, ['ordered']);
    const change = `${MOVE} AND 1 = 1`;

    for (const expected of [2, 3]) {
      const [, row] = await database.work.run((tx) => Promise.all([tx.change(change, ['ordered']), read(tx)]));
      expect(row).toEqual([{ jti: 'ordered', expires_at: expected }]);
    }
  });

  it('are rolled back together if one of them fails', async () => {
    const failing = database.work.run((tx) =>
      Promise.all([
        tx.insert(MARK, ['together-1', 1]),
        tx.change('UPDATE nothing SET a = 1'),
        tx.insert(MARK, ['together-2', 1]),
      ]),
    );

    await expect(failing).rejects.toThrow(/nothing/);
    expect(await marks('together-%')).toEqual([]);
  });

  it('a statement after the end of its unit of work is refused', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const failing = database.work.run((tx) => {
      const slow = async (): Promise<void> => {
        for (let row = 0; row < 5; row += 1) await tx.insert(MARK, [`late-${row}`, 1]);
      };
      late = slow().catch((error: unknown) => error);
      return Promise.reject(new RangeError('stop'));
    });

    await expect(failing).rejects.toThrow(RangeError);
    expect(String(await late)).toContain('after the end of its unit of work');
    expect(await marks('late-%')).toEqual([]);
  });

  it('a deadlock in the middle of them commits nothing of that attempt', async () => {
    await database.work.run(async (tx) => {
      await tx.insert(MARK, ['deadlock-left', 0]);
      await tx.insert(MARK, ['deadlock-right', 0]);
    });
    const attempts: string[] = [];
    let holding = 0;
    const gate = Promise.withResolvers<undefined>();
    const both = (own: string, other: string): Promise<unknown> =>
      database.work.run(async (tx) => {
        const attempt = `attempt-${own}-${attempts.length}`;
        attempts.push(attempt);
        await tx.change(MOVE, [`deadlock-${own}`]);
        // Each transaction holds the row that the other one needs; the embedded database runs one after the other.
        holding += 1;
        if (holding === 2 || database.engine === 'SQLite') gate.resolve(undefined);
        await gate.promise;
        return Promise.all([
          tx.insert(MARK, [`${attempt}-a`, 1]),
          tx.change(MOVE, [`deadlock-${other}`]),
          tx.insert(MARK, [`${attempt}-b`, 1]),
          tx.insert(MARK, [`${attempt}-c`, 1]),
        ]);
      });

    await Promise.all([both('left', 'right'), both('right', 'left')]);

    expect(attempts.length).toBeGreaterThan(database.engine === 'SQLite' ? 1 : 2);
    const kept = (await marks('attempt-%')) as readonly { readonly jti: string }[];
    const whole = new Set(kept.map(({ jti }) => jti.slice(0, -2)));
    expect(whole.size).toBe(2);
    expect(kept).toHaveLength(6);
    expect(await marks('deadlock-%')).toMatchObject([{ expires_at: 2 }, { expires_at: 2 }]);
  });
});

needs('mariadb')('statements on a database server', () => {
  let door: Door;
  let dataSource: DataSource;
  let work: UnitOfWork;

  beforeEach(async () => {
    const { url, username, password, server } = await freshMariadbDatabase();
    door = new Door(server);
    await door.open();
    dataSource = await openDatabase({ url: url.replace(`:${server.port}/`, `:${door.port}/`), username, password });
    work = unitOfWork(dataSource);
  });

  afterEach(async () => {
    await door.shut();
    await dataSource.destroy();
  });

  /** The next statement with this text fails as if the server had killed it. */
  const kill = async (text: string): Promise<void> => {
    // The one idle connection, which the next unit of work gets.
    const lease = await poolOf(dataSource)?.borrow();
    const connection = lease?.connection.driver as Connection;
    const query: Query = connection.query.bind(connection);
    const killed: Query = (sql, callback) => {
      if (sql !== text) return query(sql, callback);
      Object.assign(connection, { query });
      callback(Object.assign(new Error('Query execution was interrupted'), { errno: 1317 }));
      return undefined;
    };
    Object.assign(connection, { query: killed });
    lease?.release();
  };
  const insertAll = (name: string): Promise<readonly boolean[]> =>
    work.run((tx) => Promise.all(['a', 'b', 'c', 'd'].map((letter) => tx.insert(MARK, [`${name}-${letter}`, 1]))));

  it('concurrent ones are sent in one write with the begin of their transaction', async () => {
    await insertAll('prepared');
    const before = door.writes;

    expect(await insertAll('counted')).toEqual([true, true, true, true]);

    // The begin with the statements, the commit, and the return to autocommit.
    expect(door.writes - before).toBe(3);
  });

  it('all of them fail when the connection is lost, and later ones succeed', async () => {
    await insertAll('before');
    const lost = work.run((tx) => {
      const all = Promise.allSettled(['a', 'b', 'c'].map((letter) => tx.insert(MARK, [`lost-${letter}`, 1])));
      return Promise.all([door.shut(), all]);
    });

    const [, results] = await lost.catch(() => [undefined, []] as const);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    await door.open();

    expect(await insertAll('after')).toEqual([true, true, true, true]);
    expect(await work.single((tx) => tx.rows(READ, ['lost-%']))).toEqual([]);
  });

  it('nothing is stored by a unit of work whose COMMIT the server killed', async () => {
    await insertAll('before');
    await kill('COMMIT');

    await expect(insertAll('killed')).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(await insertAll('after')).toEqual([true, true, true, true]);
    expect(await work.single((tx) => tx.rows(READ, ['killed-%']))).toEqual([]);
  });

  it('a failure after the commit does not fail the unit of work, and its connection is not used again', async () => {
    const id = (): Promise<unknown> => work.single((tx) => tx.rows('SELECT CONNECTION_ID() AS id'));
    const before = await id();
    await kill('SET autocommit = 1');

    expect(await insertAll('committed')).toEqual([true, true, true, true]);

    expect(await id()).not.toEqual(before);
    expect(await work.single((tx) => tx.rows(READ, ['committed-%']))).toHaveLength(4);
  });

  it('a connection commits by itself again after a commit and after a rollback', async () => {
    const modes = async (): Promise<unknown> =>
      work.single((tx) => tx.rows('SELECT @@autocommit AS mode, CONNECTION_ID() AS id'));
    const before = await modes();

    await insertAll('committed');
    expect(await modes()).toEqual(before);
    await work.run(() => Promise.reject(new RangeError('stop'))).catch(() => undefined);
    expect(await modes()).toEqual(before);
    expect(before).toMatchObject([{ mode: 1 }]);
  });
});
