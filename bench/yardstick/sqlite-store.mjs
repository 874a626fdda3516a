import { DatabaseSync } from 'node:sqlite';

/** The embedded database with Node's own driver: statements are prepared once, transactions run without interruption. */
export function openSqlite({ file }) {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  // As durable as the service is: each commit waits for the disk.
  database.exec('PRAGMA synchronous = FULL');
  const prepared = new Map();
  const statement = (sql) => {
    let known = prepared.get(sql);
    if (!known) prepared.set(sql, (known = database.prepare(sql)));
    return known;
  };
  const change = (sql, values) => Number(statement(sql).run(...values).changes);
  return {
    row: (sql, values) => statement(sql).get(...values),
    change,
    /** True if each statement changed a row; otherwise the transaction is rolled back. */
    allOrNothing(statements) {
      statement('BEGIN IMMEDIATE').run();
      try {
        const isDone = statements.every(([sql, values]) => change(sql, values) === 1);
        statement(isDone ? 'COMMIT' : 'ROLLBACK').run();
        return isDone;
      } catch (error) {
        statement('ROLLBACK').run();
        throw error;
      }
    },
  };
}
