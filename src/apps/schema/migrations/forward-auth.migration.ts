import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

const REQUESTS = `CREATE TABLE forward_auth_request (
    id varchar(43) NOT NULL PRIMARY KEY,
    origin varchar(300) NOT NULL,
    uri text NOT NULL,
    state_hash varchar(43) NOT NULL,
    asked varchar(16) NULL,
    code_hash varchar(43) NULL,
    parent_id varchar(36) NULL,
    user_id varchar(36) NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    UNIQUE (code_hash)
  )`;

/** Sign-ins to applications behind a proxy. */
export class ForwardAuthRequests1797000000161 implements MigrationInterface {
  readonly name = 'ForwardAuthRequests1797000000161';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(REQUESTS + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX forward_auth_request_end ON forward_auth_request (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE forward_auth_request');
  }
}
