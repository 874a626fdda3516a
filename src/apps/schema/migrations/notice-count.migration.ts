import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** How many notices of a kind an account got since `began_at`, so that a loop of acts cannot fill a mailbox. */
const TABLE = `CREATE TABLE notice_count (
    slot varchar(96) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    began_at bigint NOT NULL,
    notices bigint NOT NULL,
    expires_at bigint NOT NULL
  )`;

export class NoticeCounts1796900000601 implements MigrationInterface {
  readonly name = 'NoticeCounts1796900000601';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX notice_count_user ON notice_count (user_id)');
    await runner.query('CREATE INDEX notice_count_end ON notice_count (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE notice_count');
  }
}
