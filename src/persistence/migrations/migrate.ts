import type { DataSource, QueryRunner } from 'typeorm';

const LOCK_LIMIT_SECONDS = 60;

/** Brings the schema up to date; of processes that start at once one does it and the others wait. */
export async function migrate(dataSource: DataSource): Promise<void> {
  if (dataSource.options.type === 'better-sqlite3') await migrateEmbedded(dataSource);
  else await migrateServer(dataSource);
}

/** Its tables come and go in transactions like rows, so the file's write lock is enough. */
async function migrateEmbedded(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.query('BEGIN IMMEDIATE');
  try {
    await dataSource.runMigrations({ transaction: 'none' });
    await runner.query('COMMIT');
  } catch (error) {
    await runner.query('ROLLBACK');
    throw error;
  }
}

async function migrateServer(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  // Held by the connection: a process that dies lets it go. The name is shared by all schemas of a server.
  const lock = 'SUBSTRING(CONCAT(?, DATABASE()), 1, 64)';
  const prefix = 'login-service migration ';
  try {
    const [row] = (await runner.query(`SELECT GET_LOCK(${lock}, ?) AS held`, [prefix, LOCK_LIMIT_SECONDS])) as [
      { readonly held: number | null },
    ];
    if (row.held !== 1) throw new Error(`another process has been changing the schema for ${LOCK_LIMIT_SECONDS} s`);
    await dataSource.runMigrations({ transaction: 'none' });
  } finally {
    await runner.query(`SELECT RELEASE_LOCK(${lock})`, [prefix]).catch(() => undefined);
    await runner.release();
  }
}

/** What follows the columns of a new table; texts compare byte by byte on every engine. */
export function tableSuffix(runner: QueryRunner): string {
  const isEmbedded = runner.dataSource.options.type === 'better-sqlite3';
  return isEmbedded ? ' WITHOUT ROWID' : ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';
}
