import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { afterEach, expect, it } from 'vitest';
import { Loggers } from '../../../../src/observability/logging/loggers.js';
import '../../../../src/apps/schema/backup-tables.js';
import { openDatabase } from '../../../../src/platform/persistence/database.js';
import { MigrationAccount } from '../../../../src/platform/persistence/migrations/migration-account.js';
import { MigrationState } from '../../../../src/platform/persistence/migrations/migration-state.js';
import { migrate, migrationClasses } from '../../../../src/platform/persistence/migrations/migrations.js';
import { SchemaFailure } from '../../../../src/platform/persistence/migrations/schema-failure.js';
import { differencesOf } from '../../../../src/platform/persistence/schema/differences.js';
import { expectedSchema } from '../../../../src/platform/persistence/schema/expected-schema.js';
import { readSchema } from '../../../../src/platform/persistence/schema/read-schema.js';
import { SchemaSetup } from '../../../../src/platform/persistence/schema/schema-setup.js';
import { type FreshDatabase, freshMariadbDatabase } from '../../../support/database/fresh-database.js';
import { needs } from '../../../support/runner/needs.js';

const opened: DataSource[] = [];

afterEach(async () => {
  for (const dataSource of opened.splice(0)) await dataSource.destroy();
});

async function empty(): Promise<DataSource> {
  const dataSource = await openDatabase(await freshMariadbDatabase(), {}, () => Promise.resolve());
  opened.push(dataSource);
  return dataSource;
}

class Killed extends Error {}

/** Runs one direction of a migration on a connection that ends after a number of statements that change something. */
async function interrupted(dataSource: DataSource, changes: number, run: (runner: QueryRunner) => Promise<void>) {
  const runner = dataSource.createQueryRunner();
  const query = runner.query.bind(runner) as (sql: string, values?: unknown[]) => Promise<unknown>;
  let count = 0;
  const counted = async (sql: string, values?: unknown[]): Promise<unknown> => {
    const result = await query(sql, values);
    if (!sql.startsWith('SELECT')) count += 1;
    if (count === changes) throw new Killed();
    return result;
  };
  try {
    await run(Object.assign(runner, { query: counted }));
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  } finally {
    Object.assign(runner, { query });
    await runner.release();
  }
}

/** Interrupts a direction after its first change, repeats it up to the second one, and so on until it is complete. */
async function withInterruptions(
  dataSource: DataSource,
  migration: MigrationInterface,
  direction: 'up' | 'down',
): Promise<void> {
  let changes = 1;
  while (await interrupted(dataSource, changes, (runner) => migration[direction](runner) as Promise<void>))
    changes += 1;
}

needs('mariadb')('migrations on a server', () => {
  it('continue after an interruption behind any statement, up and down', async () => {
    const dataSource = await empty();
    await dataSource.query('CREATE TABLE migrations (id int PRIMARY KEY AUTO_INCREMENT, name varchar(255) NOT NULL)');
    const migrations = migrationClasses().map((migration) => new migration());

    for (const migration of migrations) await withInterruptions(dataSource, migration, 'up');
    expect(differencesOf(expectedSchema(), await readSchema(dataSource), '')).toEqual([]);

    for (const migration of migrations.toReversed()) await withInterruptions(dataSource, migration, 'down');
    expect([...(await readSchema(dataSource)).keys()]).toEqual(['migrations']);
  });

  it('complete tables that an interrupted run has begun', async () => {
    const dataSource = await empty();
    const [first] = migrationClasses().map((migration) => new migration());
    if (first) await interrupted(dataSource, 3, (runner) => first.up(runner) as Promise<void>);

    expect(await migrate(dataSource)).toHaveLength(migrationClasses().length);
    expect((await MigrationState.read(dataSource)).isBehind).toBe(false);
  });

  it('fail at a table of the same name that another application uses', async () => {
    const dataSource = await empty();
    await dataSource.query('CREATE TABLE account (id int)');
    await dataSource.query('INSERT INTO account VALUES (7)');

    await expect(migrate(dataSource)).rejects.toThrow("Table 'account' already exists");
    expect(await dataSource.query('SELECT * FROM account')).toEqual([{ id: 7 }]);
  });

  it('fail at an empty table of the same name that has other columns', async () => {
    const dataSource = await empty();
    await dataSource.query('CREATE TABLE metadata_request (id int, requests bigint)');

    await expect(migrate(dataSource)).rejects.toThrow("Table 'metadata_request' already exists");
  });

  it('are reported with the statement that failed, and without the rows that it names', async () => {
    const dataSource = await empty();
    await migrate(dataSource);
    await dataSource.query('ALTER TABLE used_mfa_token ADD COLUMN twin int NOT NULL DEFAULT 4711');
    await dataSource.query("INSERT INTO used_mfa_token (jti, expires_at) VALUES ('a', 1), ('b', 1)");
    const account = new MigrationAccount({ url: 'jdbc:mariadb://localhost/unused' }, {});

    const failure: unknown = await account
      .explained(() => dataSource.query('CREATE UNIQUE INDEX twins ON used_mfa_token (twin)'))
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(SchemaFailure);
    const { facts } = (failure as SchemaFailure).problem;
    expect(facts).toEqual([
      ['Statement', 'CREATE UNIQUE INDEX twins ON used_mfa_token (twin)'],
      ['Reason', 'ER_DUP_ENTRY'],
    ]);
  });

  it('run at a startup whose pool has one connection', async () => {
    const account: FreshDatabase = await freshMariadbDatabase();
    const mode = { migratesAtStart: true, worksOnExisting: false, migrateAdvice: () => '' };
    const setup = new SchemaSetup(new MigrationAccount(account, {}), mode, new Loggers().get('persistence'));

    const settings = { maximumPoolSize: 1, connectionTimeout: 10_000 };
    const dataSource = await openDatabase(account, { settings }, (service) => setup.prepare(service));
    opened.push(dataSource);

    expect((await MigrationState.read(dataSource)).pending).toEqual([]);
  });
});
