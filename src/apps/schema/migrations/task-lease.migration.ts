import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** `fence` rises with each change of the holder; `expires_at` is in milliseconds since 1970. */
const TABLE = `CREATE TABLE task_lease (
    task varchar(64) NOT NULL PRIMARY KEY,
    holder varchar(22) NULL,
    fence bigint NOT NULL,
    expires_at bigint NOT NULL
  )`;

export class TaskLeases1796000000501 implements MigrationInterface {
  readonly name = 'TaskLeases1796000000501';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE task_lease');
  }
}
