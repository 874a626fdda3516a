import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, it } from 'vitest';
import { type FreshDatabase, freshMariadbDatabase } from './fresh-database.js';
import { needs } from '../runner/needs.js';

needs('mariadb')('fresh MariaDB database', () => {
  it('a fresh database is empty, and its account cannot access another one', async () => {
    const [mine, other] = await Promise.all([freshMariadbDatabase(), freshMariadbDatabase()]);

    expect(await query(mine, mine, 'SHOW TABLES')).toEqual([]);
    await expect(query(mine, other, 'SHOW TABLES')).rejects.toMatchObject({ code: 'ER_DBACCESS_DENIED_ERROR' });
  });

  it('the MariaDB server of the tests has strict mode and REPEATABLE READ', async () => {
    const database = await freshMariadbDatabase();

    const [settings] = await query(database, database, 'SELECT @@sql_mode AS mode, @@tx_isolation AS isolation');
    expect(settings?.['mode']).toContain('STRICT_TRANS_TABLES');
    expect(settings?.['isolation']).toBe('REPEATABLE-READ');
  });
});

async function query(account: FreshDatabase, target: FreshDatabase, sql: string): Promise<RowDataPacket[]> {
  const connection = await createConnection({
    uri: target.url.replace('jdbc:mariadb:', 'mysql:'),
    user: account.username,
    password: account.password,
  });
  try {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return rows;
  } finally {
    await connection.end();
  }
}
