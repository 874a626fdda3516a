import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import '../../../../src/apps/schema/backup-tables.js';
import { openDatabase } from '../../../../src/platform/persistence/database.js';
import { tableSuffix } from '../../../../src/platform/persistence/table-options.js';
import { withEntities } from '../../../../src/platform/persistence/repositories.js';
import { type Difference, differencesOf } from '../../../../src/platform/persistence/schema/differences.js';
import { expectedSchema } from '../../../../src/platform/persistence/schema/expected-schema.js';
import { readSchema } from '../../../../src/platform/persistence/schema/read-schema.js';
import { indexText, type Schema, type Table } from '../../../../src/platform/persistence/schema/schema.js';
import { findProgram } from '../../../support/runner/binaries.js';
import { freshMariadbDatabase, freshMysqlDatabase } from '../../../support/database/fresh-database.js';
import { needs } from '../../../support/runner/needs.js';
import { temporaryFolder } from '../../../support/programs/temporary-folder.js';

type Account = Parameters<typeof openDatabase>[0];

describe('the tables on SQLite', () => {
  fitsMigrations(() => Promise.resolve({ url: `jdbc:sqlite:${join(temporaryFolder('schema'), 'login.db')}` }));
});
needs('mariadb')('the tables on MariaDB', () => {
  fitsMigrations(freshMariadbDatabase);
});
if (findProgram('mysql') !== null) {
  describe('the tables on MySQL', { tags: ['mysql'] }, () => {
    fitsMigrations(freshMysqlDatabase);
  });
}

function fitsMigrations(account: () => Promise<Account>): void {
  const opened: DataSource[] = [];

  afterEach(async () => {
    for (const dataSource of opened.splice(0)) await dataSource.destroy();
  });

  async function migrated(): Promise<DataSource> {
    const dataSource = await openDatabase(await account());
    opened.push(dataSource);
    return dataSource;
  }

  async function empty(): Promise<DataSource> {
    const dataSource = await openDatabase(await account(), {}, () => Promise.resolve());
    opened.push(dataSource);
    return dataSource;
  }

  it('what validate expects is what the migrations create', async () => {
    const dataSource = await migrated();
    const [expected, actual] = [expectedSchema(), await readSchema(dataSource)];

    expect(expected.size).toBeGreaterThan(10);
    expect([...actual.keys()].filter((name) => name !== 'migrations').sort()).toEqual([...expected.keys()].sort());
    expect(comparable(actual, expected)).toEqual(comparable(expected, expected));
    expect(differencesOf(expected, actual, tableSuffix(dataSource))).toEqual([]);
  });

  it('TypeORM finds no difference between the entities and what the migrations create', async () => {
    const { options } = await migrated();
    const dataSource = await withEntities(new DataSource(options)).initialize();
    opened.push(dataSource);

    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();

    expect(dataSource.entityMetadatas).toHaveLength(expectedSchema().size);
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('what update creates in an empty database is what the migrations create', async () => {
    const dataSource = await empty();
    const expected = expectedSchema();

    const missing = differencesOf(expected, await readSchema(dataSource), tableSuffix(dataSource));
    for (const sql of missing.flatMap(({ additions }) => additions)) await dataSource.query(sql);

    expect(missing.map(({ label }) => label)).toEqual([...expected.keys()].map(() => 'Missing table'));
    expect(comparable(await readSchema(dataSource), expected)).toEqual(comparable(expected, expected));
  });

  it('missing tables, columns and indexes are reported, and all but a column that needs a value are repaired', async () => {
    const dataSource = await migrated();
    for (const sql of [
      'DROP TABLE trusted_device',
      'ALTER TABLE account DROP COLUMN backup_codes_at',
      'ALTER TABLE backup_code ADD COLUMN later varchar(8) NULL',
      'ALTER TABLE used_assertion ADD COLUMN required int NOT NULL DEFAULT 1',
      'CREATE TABLE foreign_owner (id int)',
      dropIndex(dataSource, 'session_end', 'session'),
    ]) {
      await dataSource.query(sql);
    }
    const found = await differences(dataSource);

    expect(found.map(({ label, text }) => `${label}: ${text}`).sort()).toEqual([
      'Missing column: account.backup_codes_at bigint NULL',
      'Missing index: session (expires_at)',
      'Missing table: trusted_device',
    ]);
    for (const sql of found.flatMap(({ additions }) => additions)) await dataSource.query(sql);
    expect(await differences(dataSource)).toEqual([]);
    expect((await readSchema(dataSource)).has('foreign_owner')).toBe(true);
  });

  it('a wrong type, nullability, default, primary key and an unknown column that needs a value are reported', async () => {
    const dataSource = await migrated();
    const suffix = tableSuffix(dataSource);
    for (const sql of [
      'DROP TABLE used_mfa_token',
      `CREATE TABLE used_mfa_token (jti varchar(40) NOT NULL PRIMARY KEY, expires_at bigint NULL DEFAULT 5)${suffix}`,
      'DROP TABLE metadata_request',
      `CREATE TABLE metadata_request (idp varchar(64) NOT NULL, requests bigint NOT NULL, owner int NOT NULL,
         PRIMARY KEY (idp, owner))${suffix}`,
    ]) {
      await dataSource.query(sql);
    }

    expect(
      (await differences(dataSource)).map(({ label, text, additions }) => [`${label}: ${text}`, additions]),
    ).toEqual(
      expect.arrayContaining([
        ['Wrong type: used_mfa_token.jti is varchar(40), not varchar(43)', []],
        ['Wrong nullability: used_mfa_token.expires_at is NULL, not NOT NULL', []],
        ['Wrong default: used_mfa_token.expires_at is 5, not without default', []],
        ['Wrong primary key: metadata_request has (idp, owner), not (idp)', []],
        ['Unknown column: metadata_request.owner int NOT NULL', []],
      ]),
    );
  });

  it('a column that needs a value cannot be added', async () => {
    const dataSource = await migrated();
    await dataSource.query('ALTER TABLE account DROP COLUMN failures');

    expect(await differences(dataSource)).toEqual([
      { label: 'Missing column', text: 'account.failures int NOT NULL', additions: [] },
    ]);
  });
}

needs('mariadb')('the collation of the tables', () => {
  it('is reported if texts would not compare byte by byte', async () => {
    const dataSource = await openDatabase(await freshMariadbDatabase());
    await dataSource.query(
      'ALTER TABLE used_mfa_token MODIFY jti varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL',
    );

    expect((await differences(dataSource)).map(({ text }) => text)).toEqual([
      'used_mfa_token.jti is utf8mb4_general_ci, not utf8mb4_bin',
    ]);
    await dataSource.destroy();
  });
});

async function differences(dataSource: DataSource): Promise<readonly Difference[]> {
  return differencesOf(expectedSchema(), await readSchema(dataSource), tableSuffix(dataSource));
}

/** Without the order of columns and the names of indexes, which differ between engines. */
function comparable(schema: Schema, of: Schema): unknown {
  return Array.from(of.keys(), (name) => tableText(schema.get(name)));
}

function tableText(table: Table | undefined): unknown {
  if (!table) return undefined;
  const columns = table.columns.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { ...table, columns, indexes: table.indexes.map(indexText).sort() };
}

function dropIndex(dataSource: DataSource, name: string, table: string): string {
  return dataSource.options.type === 'better-sqlite3' ? `DROP INDEX ${name}` : `DROP INDEX ${name} ON ${table}`;
}
