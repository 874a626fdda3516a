import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Temporary passwords, which expire at an instant in seconds since 1970. */
export class AccountAdministration1795651200037 implements MigrationInterface {
  readonly name = 'AccountAdministration1795651200037';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN password_ends_at bigint NULL');
  }

  /** Removes temporary passwords with the column: without it they would never expire. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      "UPDATE account SET password_hash = NULL, password_kind = 'new' WHERE password_ends_at IS NOT NULL",
    );
    await runner.query('ALTER TABLE account DROP COLUMN password_ends_at');
  }
}
