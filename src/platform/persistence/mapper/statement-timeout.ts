import type { DatabaseId } from './database-id.js';

/** Adds the time limit to a statement in the words of its engine; the server itself then cancels the statement. */
export function withTimeLimit(sql: string, databaseId: DatabaseId, millis: number): string {
  switch (databaseId) {
    case 'mariadb':
      return `SET STATEMENT max_statement_time=${millis / 1000} FOR ${sql}`;
    case 'mysql':
      // MySQL limits no other statement; the connection is killed after the margin.
      return sql.replace(/^\s*SELECT\b/i, `SELECT /*+ MAX_EXECUTION_TIME(${Math.ceil(millis)}) */`);
    case 'sqlite':
      return sql;
  }
}
