import type { DataSource } from 'typeorm';

export const LOCK_LIMIT_SECONDS = 60;

/** A comment in the statement that waits for the lock, by which the list of sessions shows what it waits for. */
export const LOCK_COMMENT = '/* lock of the migrations */';

export interface ExclusiveOptions {
  readonly admit?: () => Promise<void>;
  readonly during?: <T>(wait: () => Promise<T>) => Promise<T>;
}

/**
 * Runs a change of the tables while no other process runs one; a process that finds another one at work waits. `admit` decides
 * before it whether the change may run; on a server, under the lock, so that of processes that start at once the last one runs
 * what the others were refused. `during` runs the wait for another process at work on a server.
 */
export async function exclusively<T>(
  dataSource: DataSource,
  { admit = () => Promise.resolve(), during = (wait) => wait() }: ExclusiveOptions,
  change: () => Promise<T>,
): Promise<T> {
  if (dataSource.options.type === 'better-sqlite3') {
    // SQLite tells in no transaction whether other processes have opened the file.
    await admit();
    return onEmbedded(dataSource, change);
  }
  return onServer(dataSource, during, async () => {
    await admit();
    return change();
  });
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

async function onServer<T>(
  dataSource: DataSource,
  during: NonNullable<ExclusiveOptions['during']>,
  change: () => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  // The connection holds the lock, so a process that dies releases it. All schemas of a server share the names of locks.
  const lock = 'SUBSTRING(CONCAT(?, DATABASE()), 1, 64)';
  const prefix = 'login-service migration ';
  const isHeldWithin = async (seconds: number): Promise<boolean> => {
    const rows: unknown = await runner.query(`SELECT ${LOCK_COMMENT} GET_LOCK(${lock}, ?) AS held`, [prefix, seconds]);
    const [row] = rows as [{ readonly held: number | null }];
    return row.held === 1;
  };
  try {
    if (!(await isHeldWithin(0))) {
      if (!(await during(() => isHeldWithin(LOCK_LIMIT_SECONDS)))) {
        throw new Error(`another process has been changing the schema for ${LOCK_LIMIT_SECONDS} s`);
      }
    }
    return await change();
  } finally {
    await runner.query(`SELECT RELEASE_LOCK(${lock})`, [prefix]).catch(() => undefined);
    await runner.release();
  }
}
