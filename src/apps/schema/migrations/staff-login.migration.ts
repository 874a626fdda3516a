import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** Instants are seconds since 1970; ids of 43 characters are SHA-256 hashes of values that may be long. */
const TABLES = [
  `CREATE TABLE staff_identity (
    id varchar(43) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    issuer varchar(1024) NOT NULL,
    person varchar(512) NOT NULL,
    logins bigint NOT NULL,
    created_at bigint NOT NULL
  )`,
  `CREATE TABLE saml_request (
    id varchar(64) NOT NULL PRIMARY KEY,
    idp varchar(32) NOT NULL,
    browser_hash varchar(43) NOT NULL,
    relay_state varchar(43) NOT NULL,
    return_to varchar(1024) NOT NULL,
    asked text NOT NULL,
    user_id varchar(36) NULL,
    session_id varchar(36) NULL,
    expires_at bigint NOT NULL
  )`,
  `CREATE TABLE used_assertion (
    id varchar(43) NOT NULL PRIMARY KEY,
    expires_at bigint NOT NULL
  )`,
  `CREATE TABLE idp_session (
    id varchar(36) NOT NULL PRIMARY KEY,
    idp varchar(32) NOT NULL,
    name_hash varchar(43) NOT NULL,
    name_id text NOT NULL,
    session_index varchar(255) NULL,
    expires_at bigint NOT NULL
  )`,
];

/** Name and table; MySQL wants the table to drop one. */
const INDEXES = [
  { name: 'staff_identity_user', on: 'staff_identity (user_id)' },
  { name: 'saml_request_end', on: 'saml_request (expires_at)' },
  { name: 'used_assertion_end', on: 'used_assertion (expires_at)' },
  { name: 'idp_session_name', on: 'idp_session (name_hash)' },
  { name: 'idp_session_end', on: 'idp_session (expires_at)' },
];

/** Tables of staff login: identities, open requests, used assertions and sessions at identity providers. */
export class StaffLogin1795392000000 implements MigrationInterface {
  readonly name = 'StaffLogin1795392000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of TABLES) await runner.query(sql + tableSuffix(runner.dataSource));
    for (const { name, on } of INDEXES) await runner.query(`CREATE INDEX ${name} ON ${on}`);
    await runner.query('ALTER TABLE session ADD COLUMN ends_at bigint NULL');
    await runner.query('ALTER TABLE session ADD COLUMN idp_session varchar(36) NULL');
    await runner.query('CREATE INDEX session_idp ON session (idp_session)');
    await runner.query('ALTER TABLE security_event ADD COLUMN authn_context varchar(255) NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    const isEmbedded = runner.dataSource.options.type === 'better-sqlite3';
    await runner.query(`DROP INDEX session_idp${isEmbedded ? '' : ' ON session'}`);
    for (const column of ['idp_session', 'ends_at']) await runner.query(`ALTER TABLE session DROP COLUMN ${column}`);
    await runner.query('ALTER TABLE security_event DROP COLUMN authn_context');
    for (const name of ['idp_session', 'used_assertion', 'saml_request', 'staff_identity']) {
      await runner.query(`DROP TABLE ${name}`);
    }
  }
}

const METADATA_TABLE = `CREATE TABLE saml_metadata (
  idp varchar(64) NOT NULL PRIMARY KEY,
  url varchar(1024) NOT NULL,
  document mediumtext NOT NULL,
  fetched_at bigint NOT NULL
)`;

/** Keeps the metadata of identity providers, so that a start knows them while their metadata URL is out of reach. */
export class IdentityProviderMetadata1795478400000 implements MigrationInterface {
  readonly name = 'IdentityProviderMetadata1795478400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(METADATA_TABLE + tableSuffix(runner.dataSource));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE saml_metadata');
  }
}

const REQUEST_TABLE = `CREATE TABLE metadata_request (
  idp varchar(64) NOT NULL PRIMARY KEY,
  requests bigint NOT NULL
)`;

/** Counts requests to read metadata again, so that a command reaches every running replica. */
export class MetadataRequests1795564933000 implements MigrationInterface {
  readonly name = 'MetadataRequests1795564933000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(REQUEST_TABLE + tableSuffix(runner.dataSource));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE metadata_request');
  }
}
