import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../migrations/migrations.js';
import { readSchema } from './read-schema.js';
import type { Schema } from './schema.js';

/**
 * The tables that this version needs: what its migrations create in an empty database in memory. There is no second
 * description that could differ from them, and SQLite keeps the types as the migrations write them.
 */
export async function expectedSchema(): Promise<Schema> {
  // Only startups on the embedded database need it otherwise.
  const { NodeSqlite } = await import('../engines/node-sqlite.js');
  const scratch = await new DataSource({
    type: 'better-sqlite3',
    driver: NodeSqlite,
    database: ':memory:',
    migrations: [...MIGRATIONS],
    logging: false,
    logger: 'debug',
  }).initialize();
  try {
    await scratch.runMigrations({ transaction: 'none' });
    const tables = new Map(await readSchema(scratch));
    // The record of migrations belongs to TypeORM, which creates it.
    tables.delete('migrations');
    return tables;
  } finally {
    await scratch.destroy();
  }
}
