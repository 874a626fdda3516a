import { join } from 'node:path';
import type { DataSource, QueryRunner } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/platform/persistence/database.js';
import '../../../../src/apps/schema/history.js';
import { HISTORY, type Step } from '../../../../src/platform/persistence/migrations/history.js';
import { MigrationState } from '../../../../src/platform/persistence/migrations/migration-state.js';
import { revertLast } from '../../../../src/platform/persistence/migrations/migrations.js';
import { freshMariadbDatabase } from '../../../support/database/fresh-database.js';
import { needs } from '../../../support/runner/needs.js';
import { temporaryFolder } from '../../../support/programs/temporary-folder.js';

const opened: DataSource[] = [];

afterEach(async () => {
  for (const dataSource of opened.splice(0)) await dataSource.destroy();
});

/** Columns that a revert computes again from other rows. */
const DERIVED = new Set(['account.totp_count', 'account.passkey_count']);

/** The tables and columns that a revert drops, as `table` and `table.column`. */
async function droppedBy({ migration }: Step): Promise<readonly string[]> {
  const dropped: string[] = [];
  const runner = {
    dataSource: { options: { type: 'mysql' } },
    hasColumn: () => Promise.resolve(true),
    hasTable: () => Promise.resolve(true),
    query(sql: string) {
      const [, table, column] = /^ALTER TABLE (\w+) DROP COLUMN (\w+)/.exec(sql) ?? [];
      const [, whole] = /^DROP TABLE (\w+)/.exec(sql) ?? [];
      if (table !== undefined && column !== undefined) dropped.push(`${table}.${column}`);
      if (whole !== undefined) dropped.push(whole);
      return Promise.resolve([]);
    },
  };
  await new migration().down(runner as unknown as QueryRunner);
  return dropped;
}

/** Whether a revert is refused for rows of the table, or for values of the column. */
function isLookedAt(dropped: string, lostRows: readonly string[]): boolean {
  const [table = '', column] = dropped.split('.');
  const condition = column === undefined ? `^${table}$` : `^${table} WHERE ${column} `;
  return lostRows.some((rows) => new RegExp(condition).test(rows));
}

describe('C9: a revert that loses rows only sometimes', () => {
  const sometimes = HISTORY.filter(({ lostRows }) => lostRows !== undefined);

  it.each(sometimes.map((step) => [step.migration.name, step] as const))(
    'C9: %s looks at every table and column that it drops',
    async (_, step) => {
      const dropped = (await droppedBy(step)).filter((name) => !DERIVED.has(name));

      expect(dropped.length).toBeGreaterThan(0);
      expect(dropped.filter((name) => !isLookedAt(name, step.lostRows ?? []))).toEqual([]);
    },
  );
});

/** One app with a name. */
const SECRET = `INSERT INTO totp_secret (id, user_id, sealed, seal_key, created_at, activated_at, svg_taken, png_taken, name)
  VALUES ('s', 'u', 'x', 'k', 1, 1, 0, 0, 'phone')`;
/** An account whose password was set twice, without an invitation and without links. */
const ACCOUNT = `INSERT INTO account (id, login_id, kind, status, roles, mfa_required, enrolment_forced, security_stamp,
    last_used_step, failures, failures_in_row, lock_level, last_attempt_at, created_at, updated_at, password_version)
  VALUES ('u', 'u', 'local', 'active', '', 0, 0, 0, -1, 0, 0, 0, 0, 1, 1, 2)`;
/** A login of a staff member who was deleted since. */
const EVENT = `INSERT INTO security_event (id, at, kind, result, authn_context) VALUES ('e', 1, 'LOGIN', 'ok', 'urn:class')`;

const ENGINES: readonly (readonly [
  name: string,
  run: typeof describe | ReturnType<typeof needs>,
  open: () => Promise<DataSource>,
])[] = [
  ['SQLite', describe, () => openDatabase({ url: `jdbc:sqlite:${join(temporaryFolder('losses'), 'login.db')}` })],
  ['MariaDB', needs('mariadb'), async () => openDatabase(await freshMariadbDatabase())],
];

for (const [engine, describeEngine, open] of ENGINES) {
  describeEngine(`reverts on ${engine}`, () => {
    /** A database in which this migration is the last one. */
    async function migratedTo(prefix: string): Promise<DataSource> {
      const dataSource = await open();
      opened.push(dataSource);
      while (!(await lastOf(dataSource)).startsWith(prefix)) await revertLast(dataSource, true);
      return dataSource;
    }

    async function lastOf(dataSource: DataSource): Promise<string> {
      return (await MigrationState.read(dataSource)).applied.at(-1)?.name ?? '';
    }

    it.each([
      ['SeveralAuthenticators', SECRET],
      ['AccountLinks', ACCOUNT],
      ['StaffLogin', EVENT],
    ])('D2: a revert of %s is refused for facts in columns that it drops', async (prefix, fact) => {
      const dataSource = await migratedTo(prefix);
      await dataSource.query(fact);

      await expect(revertLast(dataSource, false)).rejects.toThrow(`Reverting ${prefix}`);
      expect(await lastOf(dataSource)).toMatch(prefix);
    });

    it('C9: every condition names tables and columns that exist, and an empty database loses nothing', async () => {
      const dataSource = await open();
      opened.push(dataSource);

      for (const { migration, lostRows } of HISTORY.slice(1).toReversed()) {
        for (const rows of lostRows ?? []) {
          expect(await dataSource.query(`SELECT 1 FROM ${rows} LIMIT 1`), rows).toEqual([]);
        }
        expect(await revertLast(dataSource, lostRows === undefined)).toBe(migration.name);
      }
    });

    it.each([
      ['AccountLinks', 'ALTER TABLE account DROP COLUMN invited_at'],
      ['AddressVersions', 'ALTER TABLE account_link DROP COLUMN email_version'],
      ['Passkeys', 'DROP TABLE passkey_challenge'],
      ['EventChain', 'DROP TABLE event_chain'],
    ])('D2: the check of an interrupted revert of %s passes what is gone', async (prefix, done) => {
      const dataSource = await migratedTo(prefix);
      const last = await lastOf(dataSource);
      await dataSource.query(done);

      const outcome = await revertLast(dataSource, false).catch((error: unknown) => String(error));

      // The embedded database rolls an interrupted revert back, so that only a server continues it.
      expect(outcome).toMatch(engine === 'MariaDB' ? last : /no such (?:table|column)/);
    });
  });
}
