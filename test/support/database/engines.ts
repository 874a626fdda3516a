import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe } from 'vitest';
import { openDatabase, unitOfWork } from '../../../src/platform/persistence/database.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { findProgram } from '../runner/binaries.js';
import { type FreshDatabase, freshMariadbDatabase, freshMysqlDatabase } from './fresh-database.js';
import { needs } from '../runner/needs.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

/** A fresh database with the current schema; assigned before the first test runs. */
export interface TestDatabase {
  readonly engine: 'SQLite' | 'MariaDB' | 'MySQL';
  readonly dataSource: DataSource;
  readonly work: UnitOfWork;
}

const HAS_MYSQL = findProgram('mysql') !== null;

/** Runs the same tests on SQLite, on a private MariaDB, and on a MySQL if it is installed. */
export function onEveryDatabase(title: string, tests: (database: TestDatabase) => void): void {
  describe(`${title} on SQLite`, () => {
    const url = `jdbc:sqlite:${join(temporaryFolder('engine'), 'login.db')}`;
    tests(opened('SQLite', () => Promise.resolve({ url })));
  });
  needs('mariadb')(`${title} on MariaDB`, () => {
    tests(opened('MariaDB', freshMariadbDatabase));
  });
  if (!HAS_MYSQL) return;
  describe(`${title} on MySQL`, { tags: ['mysql'] }, () => {
    tests(opened('MySQL', freshMysqlDatabase));
  });
}

function opened(
  engine: TestDatabase['engine'],
  settings: () => Promise<Pick<FreshDatabase, 'url'> & Partial<FreshDatabase>>,
): TestDatabase {
  const parts: { dataSource?: DataSource; work?: UnitOfWork } = {};
  beforeAll(async () => {
    parts.dataSource = await openDatabase(await settings());
    parts.work = unitOfWork(parts.dataSource);
  });
  afterAll(() => parts.dataSource?.destroy());
  const ready = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('the database is open inside tests only');
    return part;
  };
  return {
    engine,
    get dataSource() {
      return ready(parts.dataSource);
    },
    get work() {
      return ready(parts.work);
    },
  };
}
