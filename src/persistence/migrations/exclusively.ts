import type { DataSource } from 'typeorm';

const LOCK_LIMIT_SECONDS = 60;

/** Runs a change of the tables while no other process runs one; a process that finds another one at work waits. */
export function exclusively<T>(dataSource: DataSource, change: () => Promise<T>): Promise<T> {
  return dataSource.options.type === 'better-sqlite3' ? onEmbedded(dataSource, change) : onServer(dataSource, change);
}

/** The embedded database changes tables in transactions, so the write lock of its file is enough. */
async function onEmbedded<T>(dataSource: DataSource, change: () => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  await runner.query('BEGIN IMMEDIATE');
  try {
    const result = await change();
    await runner.query('COMMIT');
    return result;
  } catch (error) {
    await runner.query('ROLLBACK');
    throw error;
  }
}

async function onServer<T>(dataSource: DataSource, change: () => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  // The connection holds the lock, so a process that dies releases it. All schemas of a server share the names of locks.
  const lock = 'SUBSTRING(CONCAT(?, DATABASE()), 1, 64)';
  const prefix = 'login-service migration ';
  try {
    const [row] = (await runner.query(`SELECT GET_LOCK(${lock}, ?) AS held`, [prefix, LOCK_LIMIT_SECONDS])) as [
      { readonly held: number | null },
    ];
    if (row.held !== 1) throw new Error(`another process has been changing the schema for ${LOCK_LIMIT_SECONDS} s`);
    return await change();
  } finally {
    await runner.query(`SELECT RELEASE_LOCK(${lock})`, [prefix]).catch(() => undefined);
    await runner.release();
  }
}
