import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Display name and groups of an account, and the version of the address that was verified: whatever changes the address raises
 * `email_version`, also an older version of the service, and thereby ends the verification.
 */
export class Profiles1797000000115 implements MigrationInterface {
  readonly name = 'Profiles1797000000115';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN email_verified_version bigint NULL');
    await runner.query('ALTER TABLE account ADD COLUMN display_name varchar(255) NULL');
    await runner.query("ALTER TABLE account ADD COLUMN group_names varchar(1024) NOT NULL DEFAULT ''");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN group_names');
    await runner.query('ALTER TABLE account DROP COLUMN display_name');
    await runner.query('ALTER TABLE account DROP COLUMN email_verified_version');
  }
}

/** The address that a mailed link confirms: the link is for that address, whatever a form says. */
export class AddressConfirmations1797000000116 implements MigrationInterface {
  readonly name = 'AddressConfirmations1797000000116';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_link ADD COLUMN email varchar(254) NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_link DROP COLUMN email');
  }
}
