import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** The temporary access code of an account; instants are seconds since 1970. */
const TABLE = `CREATE TABLE access_code (
    user_id varchar(36) NOT NULL PRIMARY KEY,
    hash varchar(80) NOT NULL,
    pepper varchar(64) NULL,
    used_by varchar(64) NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`;

export class AccessCodes1797000000181 implements MigrationInterface {
  readonly name = 'AccessCodes1797000000181';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX access_code_end ON access_code (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE access_code');
  }
}
