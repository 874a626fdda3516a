import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** The sign-ins of each hour, so that an overview of a month does not read its events. Times are in seconds since 1970. */
const SIGN_IN_COUNT = `CREATE TABLE sign_in_count (
    hour bigint NOT NULL PRIMARY KEY,
    completed int NOT NULL,
    failed int NOT NULL,
    expires_at bigint NOT NULL
  )`;

/** The running instances. Times are in seconds since 1970. */
const REPLICA = `CREATE TABLE replica (
    id varchar(22) NOT NULL PRIMARY KEY,
    host varchar(255) NOT NULL,
    version varchar(64) NOT NULL,
    started_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`;

/** When an account last signed in, in seconds since 1970. */
export class LastSignIns1797100000011 implements MigrationInterface {
  readonly name = 'LastSignIns1797100000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN last_sign_in_at bigint NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN last_sign_in_at');
  }
}

/** Creates the tables for the overview of administrators. */
export class Overview1797100000010 implements MigrationInterface {
  readonly name = 'Overview1797100000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SIGN_IN_COUNT + tableSuffix(runner.dataSource));
    await runner.query(REPLICA + tableSuffix(runner.dataSource));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE replica');
    await runner.query('DROP TABLE sign_in_count');
  }
}
