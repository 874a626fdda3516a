import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The time of a login is unknown where an identity provider did not prove it. The sessions of staff that exist recorded
 * whatever it said, so their times are removed.
 */
export class UnprovenTimes1795564873000 implements MigrationInterface {
  readonly name = 'UnprovenTimes1795564873000';

  async up(runner: QueryRunner): Promise<void> {
    await replaceAuthTime(runner, 'session', 'bigint NULL', 'CASE WHEN idp IS NULL THEN auth_time END');
    await replaceAuthTime(runner, 'refresh_token', 'bigint NULL', 'auth_time');
    await runner.query("UPDATE session SET mfa_at = NULL WHERE mfa_method = 'idp'");
  }

  async down(runner: QueryRunner): Promise<void> {
    // Long ago: not fresh for the version before either.
    for (const table of ['session', 'refresh_token']) {
      await replaceAuthTime(runner, table, 'bigint NOT NULL DEFAULT 0', 'COALESCE(auth_time, 0)');
    }
  }
}

/** The embedded database cannot change a column, so a new one takes its name. */
async function replaceAuthTime(runner: QueryRunner, table: string, type: string, value: string): Promise<void> {
  await runner.query(`ALTER TABLE ${table} ADD COLUMN new_auth_time ${type}`);
  await runner.query(`UPDATE ${table} SET new_auth_time = ${value}`);
  await runner.query(`ALTER TABLE ${table} DROP COLUMN auth_time`);
  await runner.query(`ALTER TABLE ${table} RENAME COLUMN new_auth_time TO auth_time`);
}
