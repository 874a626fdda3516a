import type { DataSource } from 'typeorm';
import {
  AccountAdministration1795651200037,
  LockedAccounts1795305600000,
  ManagementEvents1795564811000,
  PasswordKinds1795564833000,
  PlainNames1795737600000,
  UnprovenTimes1795564873000,
} from './columns.migration.js';
import { First1795219200000 } from './first.migration.js';
import {
  IdentityProviderMetadata1795478400000,
  MetadataRequests1795564933000,
  StaffLogin1795392000000,
} from './staff-login.migration.js';

/** All migrations, oldest first; a released one is never changed. */
export const MIGRATIONS = [
  First1795219200000,
  LockedAccounts1795305600000,
  StaffLogin1795392000000,
  IdentityProviderMetadata1795478400000,
  ManagementEvents1795564811000,
  PasswordKinds1795564833000,
  UnprovenTimes1795564873000,
  MetadataRequests1795564933000,
  AccountAdministration1795651200037,
  PlainNames1795737600000,
];

const LOCK_LIMIT_SECONDS = 60;

/** Brings the schema up to date; of processes that start at the same time, one migrates and the others wait. */
export async function migrate(dataSource: DataSource): Promise<void> {
  if (dataSource.options.type === 'better-sqlite3') await migrateEmbedded(dataSource);
  else await migrateServer(dataSource);
}

/** The embedded database changes tables in transactions, so the write lock of its file is enough. */
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
  // The connection holds the lock, so a process that dies releases it. All schemas of a server share the names of locks.
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
