import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** Instants are seconds since 1970 (`_at`, `_until`); `security_event.at` counts milliseconds. */
const TABLES = [
  `CREATE TABLE account (
    id varchar(36) NOT NULL PRIMARY KEY,
    login_id varchar(255) NOT NULL,
    kind varchar(8) NOT NULL,
    status varchar(8) NOT NULL,
    password_hash varchar(512) NULL,
    roles varchar(1024) NOT NULL,
    is_admin int NOT NULL DEFAULT 0,
    email varchar(254) NULL,
    mfa_required int NOT NULL,
    enrolment_forced int NOT NULL,
    epoch int NOT NULL,
    totp_id varchar(36) NULL,
    pending_totp_id varchar(36) NULL,
    backup_set_id varchar(36) NULL,
    backup_codes_at bigint NULL,
    last_used_step bigint NOT NULL,
    failures int NOT NULL,
    failures_in_row int NOT NULL,
    lock_level int NOT NULL,
    last_attempt_at bigint NOT NULL,
    last_attempt_id varchar(36) NULL,
    lock_seen_at bigint NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (login_id)
  )`,
  'CREATE INDEX account_admin ON account (is_admin)',
  `CREATE TABLE totp_secret (
    id varchar(36) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    sealed varchar(255) NOT NULL,
    seal_key varchar(64) NOT NULL,
    asked_by varchar(64) NULL,
    created_at bigint NOT NULL,
    expires_at bigint NULL,
    activated_at bigint NULL,
    svg_taken int NOT NULL,
    png_taken int NOT NULL
  )`,
  'CREATE INDEX totp_secret_user ON totp_secret (user_id)',
  `CREATE TABLE backup_code (
    user_id varchar(36) NOT NULL,
    hash varchar(80) NOT NULL,
    set_id varchar(36) NOT NULL,
    PRIMARY KEY (user_id, set_id, hash)
  )`,
  `CREATE TABLE used_mfa_token (
    jti varchar(43) NOT NULL PRIMARY KEY,
    expires_at bigint NOT NULL
  )`,
  'CREATE INDEX used_mfa_token_end ON used_mfa_token (expires_at)',
  `CREATE TABLE session (
    id varchar(36) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    kind varchar(8) NOT NULL,
    secret_hash varchar(43) NULL,
    half_epoch int NULL,
    amr varchar(64) NOT NULL,
    auth_time bigint NOT NULL,
    mfa_at bigint NULL,
    mfa_method varchar(32) NULL,
    idp varchar(64) NULL,
    authn_context varchar(255) NULL,
    ip varchar(45) NULL,
    agent varchar(255) NULL,
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    UNIQUE (secret_hash)
  )`,
  'CREATE INDEX session_user ON session (user_id)',
  'CREATE INDEX session_end ON session (expires_at)',
  `CREATE TABLE refresh_token (
    token_hash varchar(43) NOT NULL PRIMARY KEY,
    session_id varchar(36) NOT NULL,
    user_id varchar(36) NOT NULL,
    generation int NOT NULL,
    amr varchar(64) NOT NULL,
    auth_time bigint NOT NULL,
    mfa_at bigint NULL,
    mfa_method varchar(32) NULL,
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    rotated_at bigint NULL,
    replaced_by varchar(43) NULL,
    sealed_successor varchar(255) NULL,
    superseded_at bigint NULL
  )`,
  'CREATE INDEX refresh_token_session ON refresh_token (session_id)',
  'CREATE INDEX refresh_token_user ON refresh_token (user_id)',
  'CREATE INDEX refresh_token_end ON refresh_token (expires_at)',
  `CREATE TABLE signing_key (
    id varchar(64) NOT NULL PRIMARY KEY,
    purpose varchar(16) NOT NULL,
    generation int NOT NULL,
    algorithm varchar(8) NOT NULL,
    sealed text NOT NULL,
    seal_key varchar(64) NOT NULL,
    created_at bigint NOT NULL,
    signs_from bigint NOT NULL,
    retired_at bigint NULL,
    UNIQUE (purpose, generation)
  )`,
  `CREATE TABLE trusted_device (
    id varchar(36) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    secret_hash varchar(43) NOT NULL,
    label varchar(255) NULL,
    ip varchar(45) NULL,
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    UNIQUE (secret_hash)
  )`,
  'CREATE INDEX trusted_device_user ON trusted_device (user_id)',
  'CREATE INDEX trusted_device_end ON trusted_device (expires_at)',
  `CREATE TABLE security_event (
    id varchar(36) NOT NULL PRIMARY KEY,
    at bigint NOT NULL,
    kind varchar(32) NOT NULL,
    user_id varchar(36) NULL,
    actor varchar(64) NULL,
    ip varchar(45) NULL,
    agent varchar(255) NULL,
    request_id varchar(64) NULL,
    idp varchar(64) NULL,
    amr varchar(64) NULL,
    result varchar(16) NOT NULL,
    reason varchar(64) NULL
  )`,
  'CREATE INDEX security_event_user ON security_event (user_id, id)',
];

const NAMES = TABLES.flatMap((sql) => /^CREATE TABLE (\w+)/.exec(sql)?.[1] ?? []);

/** Everything the login needs; texts compare byte by byte on every engine, since hashes and ids are among them. */
export class First1795219200000 implements MigrationInterface {
  readonly name = 'First1795219200000';

  async up(runner: QueryRunner): Promise<void> {
    const suffix = tableSuffix(runner.dataSource);
    for (const sql of TABLES) await runner.query(sql.startsWith('CREATE TABLE') ? sql + suffix : sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of NAMES.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
