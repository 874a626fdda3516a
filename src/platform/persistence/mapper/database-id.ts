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

/** Adds the time limit to a statement in the syntax of its engine, so that the server itself cancels the statement. */
export function withTimeLimit(sql: string, databaseId: DatabaseId, millis: number): string {
  switch (databaseId) {
    case 'mariadb':
      return `SET STATEMENT max_statement_time=${millis / 1000} FOR ${sql}`;
    case 'mysql':
      // MySQL limits no other statement; the connection is killed after the margin.
      return sql.replace(/^SELECT\b/i, `SELECT /*+ MAX_EXECUTION_TIME(${Math.ceil(millis)}) */`);
    case 'sqlite':
      return sql;
  }
}
