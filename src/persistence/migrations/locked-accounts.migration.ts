import type { MigrationInterface, QueryRunner } from 'typeorm';

/** So that locked accounts can be counted without a look at all others; no login that succeeds at once touches it. */
export class LockedAccounts1795305600000 implements MigrationInterface {
  readonly name = 'LockedAccounts1795305600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX account_lock_level ON account (lock_level)');
  }

  async down(runner: QueryRunner): Promise<void> {
    const isEmbedded = runner.dataSource.options.type === 'better-sqlite3';
    await runner.query(`DROP INDEX account_lock_level${isEmbedded ? '' : ' ON account'}`);
  }
}
