import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import { describe } from 'vitest';
import { freshMariadbDatabase } from './fresh-database.js';
import { needs } from '../runner/needs.js';
import { membersOf } from '../runner/tier.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

export type SqlValue = string | number | null;

/** The database of the services of one story. */
export interface StoryDatabase {
  /** Arguments that connect a service or a command to it. */
  readonly args: readonly string[];
  /** Arguments of the service of that number, if each service has its own way to the database. */
  readonly argsAt?: (service: number) => readonly string[];
  /** Queries state that no response shows, and makes changes that only a database administrator can make. */
  query<Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
}

export interface Engine {
  readonly name: 'SQLite' | 'MariaDB' | 'Galera';
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

export const MARIADB: Engine = {
  name: 'MariaDB',
  async freshDatabase() {
    const { url, username, password, server } = await freshMariadbDatabase();
    const database = url.slice(url.lastIndexOf('/') + 1);
    return {
      args: [
        `--app.datasource.url=${url}`,
        `--app.datasource.username=${username}`,
        `--app.datasource.password=${password}`,
        // While test files run in parallel, a disk may delay a commit for seconds.
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

/** Runs the same tests on SQLite and on MariaDB, because the engine decides their result: locks, races, persistence. */
export function onEachEngine(title: string, tests: (engine: Engine) => void): void {
  run(title, [SQLITE, MARIADB], tests);
}

/** Runs tests that pass on both engines for the same reason: on SQLite, and in the tier `full` on MariaDB too. */
export function onAnyEngine(title: string, tests: (engine: Engine) => void): void {
  run(
    title,
    membersOf([SQLITE, MARIADB], (engine) => engine === SQLITE),
    tests,
  );
}

/** Runs tests that do not depend on the engine on SQLite only, which saves time. */
export function onSqlite(title: string, tests: (engine: Engine) => void): void {
  describe(title, () => {
    tests(SQLITE);
  });
}

function run(title: string, engines: readonly Engine[], tests: (engine: Engine) => void): void {
  for (const engine of engines) {
    const describeOn = engine === SQLITE ? describe : needs('mariadb');
    describeOn(`${title}, on ${engine.name}`, () => {
      tests(engine);
    });
  }
}
