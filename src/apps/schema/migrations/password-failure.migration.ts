import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/**
 * `id` is a SHA-256 of a login id, a browser or an address; a part of a failure may be forgotten; `last_at` is in
 * milliseconds since 1970.
 */
const TABLE = `CREATE TABLE password_failure (
    id varchar(43) NOT NULL PRIMARY KEY,
    failures double NOT NULL,
    last_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`;

export class PasswordFailures1796000000602 implements MigrationInterface {
  readonly name = 'PasswordFailures1796000000602';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX password_failure_end ON password_failure (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE password_failure');
  }
}
