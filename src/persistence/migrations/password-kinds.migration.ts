import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a wrong password costs at each account, counted through an index; the service fills in what is 'new'. */
export class PasswordKinds1795564833000 implements MigrationInterface {
  readonly name = 'PasswordKinds1795564833000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE account ADD COLUMN password_kind varchar(64) NOT NULL DEFAULT 'new'");
    await runner.query('CREATE INDEX account_password_kind ON account (password_kind)');
  }

  async down(runner: QueryRunner): Promise<void> {
    const isEmbedded = runner.dataSource.options.type === 'better-sqlite3';
    await runner.query(`DROP INDEX account_password_kind${isEmbedded ? '' : ' ON account'}`);
    await runner.query('ALTER TABLE account DROP COLUMN password_kind');
  }
}
