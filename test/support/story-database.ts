import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import { describe } from 'vitest';
import { freshMariadbDatabase } from './fresh-database.js';
import { needs } from './needs.js';
import { temporaryFolder } from './temporary-folder.js';

export type SqlValue = string | number | null;

/** A database of its own for services of one story. */
export interface StoryDatabase {
  /** The keys that lead a service or a command to it. */
  readonly args: readonly string[];
  /** For what no answer shows; also changes what only an operator of the database could. */
  query<Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
}

export interface Engine {
  readonly name: 'SQLite' | 'MariaDB';
  freshDatabase(): Promise<StoryDatabase>;
}

const SQLITE: Engine = {
  name: 'SQLite',
  freshDatabase() {
    const file = join(temporaryFolder('story'), 'login.db');
    return Promise.resolve({
      args: [`--app.datasource.url=jdbc:sqlite:${file}`],
      query<Row>(sql: string, values: readonly SqlValue[] = []) {
        const database = new DatabaseSync(file, { timeout: 5_000 });
        try {
          return Promise.resolve(database.prepare(sql).all(...values) as unknown as readonly Row[]);
        } finally {
          database.close();
        }
      },
    });
  },
};

const MARIADB: Engine = {
  name: 'MariaDB',
  async freshDatabase() {
    const { url, username, password, server } = await freshMariadbDatabase();
    const database = url.slice(url.lastIndexOf('/') + 1);
    return {
      args: [
        `--app.datasource.url=${url}`,
        `--app.datasource.username=${username}`,
        `--app.datasource.password=${password}`,
        // On a machine that runs test files side by side, a disk may hold a commit up for seconds without being silent.
        '--app.datasource.pool.connection-timeout=20000',
      ],
      async query<Row>(sql: string, values: readonly SqlValue[] = []) {
        const { host, port } = server;
        const connection = await createConnection({ host, port, user: username, password, database });
        try {
          const [rows] = await connection.query(sql, [...values]);
          return rows as unknown as readonly Row[];
        } finally {
          await connection.end();
        }
      },
    };
  },
};

/** Tells the same story on the embedded database and on a database server. */
export function onEachEngine(title: string, tests: (engine: Engine) => void): void {
  describe(`${title}, on SQLite`, () => {
    tests(SQLITE);
  });
  needs('mariadb')(`${title}, on MariaDB`, () => {
    tests(MARIADB);
  });
}

/** Stories for which the engine does not matter, where each more start would only take time. */
export function onSqlite(title: string, tests: (engine: Engine) => void): void {
  describe(title, () => {
    tests(SQLITE);
  });
}
