import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** `id` is a SHA-256 of a limit, what it counts by, and the number of its window; `hits` are those in this window. */
const TABLE = `CREATE TABLE rate_limit (
    id varchar(43) NOT NULL PRIMARY KEY,
    hits int NOT NULL,
    expires_at bigint NOT NULL
  )`;

export class RateLimits1796000000601 implements MigrationInterface {
  readonly name = 'RateLimits1796000000601';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX rate_limit_end ON rate_limit (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rate_limit');
  }
}
