import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The time of a login is unknown where an identity provider did not prove it. The sessions of staff that exist recorded
 * whatever it said, so their times are removed.
 */
export class UnprovenTimes1795564873000 implements MigrationInterface {
  readonly name = 'UnprovenTimes1795564873000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await changeAuthTime(runner, table, 'NULL');
    await runner.query('UPDATE session SET auth_time = NULL WHERE idp IS NOT NULL');
    await runner.query("UPDATE session SET mfa_at = NULL WHERE mfa_method = 'idp'");
  }

  async down(runner: QueryRunner): Promise<void> {
    // Long ago: not fresh for the version before either.
    for (const table of TABLES) {
      await runner.query(`UPDATE ${table} SET auth_time = 0 WHERE auth_time IS NULL`);
      await changeAuthTime(runner, table, 'NOT NULL');
    }
  }
}

const TABLES = ['session', 'refresh_token'];

/**
 * A server changes the column in one statement, which can be repeated and which replicas of the version before do not
 * notice. The embedded database cannot change a column, so a new one takes its name, in one transaction.
 */
async function changeAuthTime(runner: QueryRunner, table: string, nullable: 'NULL' | 'NOT NULL'): Promise<void> {
  if (runner.dataSource.options.type !== 'better-sqlite3') {
    await runner.query(`ALTER TABLE ${table} MODIFY COLUMN auth_time bigint ${nullable}`);
    return;
  }
  const withDefault = nullable === 'NULL' ? 'NULL' : 'NOT NULL DEFAULT 0';
  await runner.query(`ALTER TABLE ${table} ADD COLUMN new_auth_time bigint ${withDefault}`);
  await runner.query(`UPDATE ${table} SET new_auth_time = auth_time`);
  await runner.query(`ALTER TABLE ${table} DROP COLUMN auth_time`);
  await runner.query(`ALTER TABLE ${table} RENAME COLUMN new_auth_time TO auth_time`);
}
