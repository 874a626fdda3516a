import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** `id` is a SHA-256 of subject, network and user agent. */
const TABLE = `CREATE TABLE known_client (
    id varchar(43) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    expires_at bigint NOT NULL
  )`;

export class KnownClients1796000000401 implements MigrationInterface {
  readonly name = 'KnownClients1796000000401';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX known_client_user ON known_client (user_id)');
    await runner.query('CREATE INDEX known_client_end ON known_client (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE known_client');
  }
}
