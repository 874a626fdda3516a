import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';
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

const REQUESTS = `CREATE TABLE authorization_request (
    id varchar(43) NOT NULL PRIMARY KEY,
    client_id varchar(64) NOT NULL,
    parameters text NOT NULL,
    asked varchar(16) NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`;
const CODES = `CREATE TABLE authorization_code (
    id varchar(43) NOT NULL PRIMARY KEY,
    client_id varchar(64) NOT NULL,
    parent_id varchar(36) NOT NULL,
    user_id varchar(36) NOT NULL,
    session_id varchar(36) NOT NULL,
    terms text NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint NULL
  )`;

const ASSERTIONS = `CREATE TABLE used_client_assertion (
    id varchar(43) NOT NULL PRIMARY KEY,
    expires_at bigint NOT NULL
  )`;

/** Authorization requests that wait for their users, authorization codes, and used tokens of clients. */
export class AuthorizationCodes1797000000102 implements MigrationInterface {
  readonly name = 'AuthorizationCodes1797000000102';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of [REQUESTS, CODES, ASSERTIONS]) await runner.query(table + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX authorization_request_end ON authorization_request (expires_at)');
    await runner.query('CREATE INDEX authorization_code_end ON authorization_code (expires_at)');
    await runner.query('CREATE INDEX used_client_assertion_end ON used_client_assertion (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE used_client_assertion');
    await runner.query('DROP TABLE authorization_code');
    await runner.query('DROP TABLE authorization_request');
  }
}
