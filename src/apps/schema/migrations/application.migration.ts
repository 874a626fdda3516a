import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isEmbedded } from './columns.migration.js';

/** The columns of sessions that applications have opened with the session of a browser. */
export class ApplicationSessions1797000000101 implements MigrationInterface {
  readonly name = 'ApplicationSessions1797000000101';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE session ADD COLUMN parent_id varchar(36) NULL');
    await runner.query('ALTER TABLE session ADD COLUMN client_id varchar(64) NULL');
    await runner.query('ALTER TABLE session ADD COLUMN scope varchar(512) NULL');
    // SQLite writes an entry of an index for every row, and a login must not pay for applications.
    const condition = isEmbedded(runner) ? ' WHERE parent_id IS NOT NULL' : '';
    await runner.query(`CREATE INDEX session_parent ON session (parent_id)${condition}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX session_parent${isEmbedded(runner) ? '' : ' ON session'}`);
    for (const column of ['parent_id', 'client_id', 'scope']) {
      await runner.query(`ALTER TABLE session DROP COLUMN ${column}`);
    }
  }
}
