import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A column for what only one kind of security event has to tell, such as the levels of a logger. */
export class ManagementEvents1795564811000 implements MigrationInterface {
  readonly name = 'ManagementEvents1795564811000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE security_event ADD COLUMN detail varchar(512) NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE security_event DROP COLUMN detail');
  }
}
