import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** New backup codes that a page shows until they are confirmed; instants are seconds since 1970. */
const TABLE = `CREATE TABLE shown_backup_codes (
    asked_by varchar(64) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    set_id varchar(36) NOT NULL,
    occasion varchar(8) NOT NULL,
    sealed varchar(512) NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`;

export class ShownCodes1797000000183 implements MigrationInterface {
  readonly name = 'ShownCodes1797000000183';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX shown_backup_codes_end ON shown_backup_codes (expires_at)');
    await runner.query('CREATE INDEX shown_backup_codes_user ON shown_backup_codes (user_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shown_backup_codes');
  }
}
