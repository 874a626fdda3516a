import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/platform/persistence/database.js';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

interface Account {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
}

describe('a data source on SQLite', () => {
  behavesAlike(() => Promise.resolve({ url: `jdbc:sqlite:${join(temporaryFolder(), 'login.db')}` }));
});

needs('mariadb')('a data source on MariaDB', () => {
  behavesAlike(freshMariadbDatabase);
});

/** The behaviour that stores rely on with every engine. */
function behavesAlike(account: () => Promise<Account>): void {
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await openDatabase(await account());
    await dataSource.query('CREATE TABLE step (subject varchar(40) PRIMARY KEY, last_used bigint NOT NULL)');
    await dataSource.query(
      `CREATE TABLE kind (id integer PRIMARY KEY, truth integer, instant varchar(40), bytes varbinary(16), big bigint,
                          absent varchar(10))`,
    );
  });

  afterAll(async () => {
    await dataSource.destroy();
  });

  it('a conditional update reports the affected rows', async () => {
    await dataSource.query('INSERT INTO step (subject, last_used) VALUES (?, ?)', ['ann', 5]);

    expect(await acceptStep('ann', 6)).toBe(1);
    expect(await acceptStep('ann', 6)).toBe(0);
    expect(await acceptStep('nobody', 6)).toBe(0);
  });

  it('rejects a second row with the same key', async () => {
    await dataSource.query('INSERT INTO step (subject, last_used) VALUES (?, ?)', ['bob', 1]);

    await expect(
      dataSource.query('INSERT INTO step (subject, last_used) VALUES (?, ?)', ['bob', 2]),
    ).rejects.toMatchObject({ name: 'QueryFailedError' });
  });

  it('rolls back a failed transaction', async () => {
    const failing = dataSource.transaction(async (tx) => {
      await tx.query('INSERT INTO step (subject, last_used) VALUES (?, ?)', ['eve', 1]);
      throw new Error('changed my mind');
    });

    await expect(failing).rejects.toThrow('changed my mind');
    expect(await dataSource.query('SELECT * FROM step WHERE subject = ?', ['eve'])).toEqual([]);
  });

  it('commits a successful transaction', async () => {
    await dataSource.transaction((tx) => tx.query('INSERT INTO step (subject, last_used) VALUES (?, ?)', ['zoe', 1]));

    expect(await dataSource.query('SELECT last_used FROM step WHERE subject = ?', ['zoe'])).toEqual([{ last_used: 1 }]);
  });

  it('stores every kind of parameter', async () => {
    const bytes = Buffer.from([0, 1, 254, 255]);
    const parameters = [1, true, new Date('2031-05-04T10:15:30.123Z'), bytes, 2n ** 53n - 1n, null];
    await dataSource.query('INSERT INTO kind VALUES (?, ?, ?, ?, ?, ?)', parameters);

    const [row] = await rows('SELECT * FROM kind WHERE id = 1');
    expect(row).toEqual({
      id: 1,
      truth: 1,
      instant: '2031-05-04 10:15:30.123',
      bytes,
      big: Number.MAX_SAFE_INTEGER,
      absent: null,
    });
    expect(Buffer.isBuffer(row?.['bytes'])).toBe(true);
  });

  it('stores undefined as NULL and false as 0', async () => {
    await dataSource.query('INSERT INTO kind (id, truth, absent) VALUES (?, ?, ?)', [2, false, undefined]);

    expect(await rows('SELECT truth, absent FROM kind WHERE id = 2')).toEqual([{ truth: 0, absent: null }]);
  });

  it('returns integers beyond the safe range as strings', async () => {
    await dataSource.query('INSERT INTO kind (id, big) VALUES (?, ?)', [3, 2n ** 53n + 1n]);

    expect(await rows('SELECT big FROM kind WHERE id = 3')).toEqual([{ big: '9007199254740993' }]);
    expect(await rows('SELECT COUNT(*) AS n FROM kind WHERE id = 3')).toEqual([{ n: 1 }]);
  });

  async function acceptStep(subject: string, step: number): Promise<number | undefined> {
    const { affected } = await dataSource
      .createQueryBuilder()
      .update('step')
      .set({ last_used: step })
      .where('subject = :subject AND last_used < :step', { subject, step })
      .execute();
    return affected;
  }

  async function rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return dataSource.query(sql);
  }
}
