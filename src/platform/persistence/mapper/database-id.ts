import type { DataSource } from 'typeorm';

/** The engines, as the attribute `databaseId` names them. */
export const DATABASE_IDS = ['sqlite', 'mariadb', 'mysql'] as const;

export type DatabaseId = (typeof DATABASE_IDS)[number];

/** Asks a server, since a URL for MySQL may lead to MariaDB. */
export async function databaseIdOf(dataSource: DataSource): Promise<DatabaseId> {
  if (dataSource.options.type === 'better-sqlite3') return 'sqlite';
  const [row] = await dataSource.query<readonly { readonly version: string }[]>('SELECT VERSION() AS version');
  return /mariadb/i.test(row?.version ?? '') ? 'mariadb' : 'mysql';
}
