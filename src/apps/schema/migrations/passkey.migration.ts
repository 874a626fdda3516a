import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/**
 * Several authenticators for an account: its row has their numbers in place of the id of one secret. A pending secret
 * records what its owner asked for.
 */
export class SeveralAuthenticators1796700000001 implements MigrationInterface {
  readonly name = 'SeveralAuthenticators1796700000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of ['name varchar(64)', 'last_used_at bigint', 'asked_for varchar(8)']) {
      await runner.query(`ALTER TABLE totp_secret ADD COLUMN ${column} NULL`);
    }
    for (const column of ['totp_count', 'passkey_count']) {
      await runner.query(`ALTER TABLE account ADD COLUMN ${column} int NOT NULL DEFAULT 0`);
    }
    // MySQL commits each statement: without this column, an earlier run that was interrupted had done everything.
    if (!(await runner.hasColumn('account', 'totp_id'))) return;
    await runner.query('UPDATE account SET totp_count = 1 WHERE totp_id IS NOT NULL');
    await runner.query(
      "UPDATE totp_secret SET asked_for = 'first' WHERE activated_at IS NULL AND user_id IN (SELECT id FROM account WHERE totp_id IS NULL)",
    );
    await runner.query(
      "UPDATE totp_secret SET asked_for = 'replace' WHERE activated_at IS NULL AND user_id IN (SELECT id FROM account WHERE totp_id IS NOT NULL)",
    );
    await runner.query(
      'DELETE FROM totp_secret WHERE activated_at IS NOT NULL AND id NOT IN (SELECT totp_id FROM account WHERE totp_id IS NOT NULL)',
    );
    await runner.query('ALTER TABLE account DROP COLUMN totp_id');
  }

  /**
   * The previous version knows one secret of an account: the newest active one stays. A pending one goes, since its confirmation
   * there activates the backup codes that came with it, and a further app has none.
   */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN totp_id varchar(36) NULL');
    await runner.query(
      'UPDATE account SET totp_id = (SELECT MAX(id) FROM totp_secret WHERE user_id = account.id AND activated_at IS NOT NULL)',
    );
    await runner.query('UPDATE account SET pending_totp_id = NULL WHERE pending_totp_id IS NOT NULL');
    await runner.query(
      'DELETE FROM totp_secret WHERE id NOT IN (SELECT totp_id FROM account WHERE totp_id IS NOT NULL)',
    );
    for (const column of ['passkey_count', 'totp_count'])
      await runner.query(`ALTER TABLE account DROP COLUMN ${column}`);
    for (const column of ['asked_for', 'last_used_at', 'name']) {
      await runner.query(`ALTER TABLE totp_secret DROP COLUMN ${column}`);
    }
  }
}

/**
 * `credential_hash` is the SHA-256 of the credential id, which has up to 1023 bytes; `public_key` is a COSE key
 * (RFC 9052 section 7) in Base64url; instants are seconds since 1970.
 */
const PASSKEY = `CREATE TABLE passkey (
    id varchar(36) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    credential_hash varchar(43) NOT NULL,
    credential_id varchar(1400) NOT NULL,
    public_key text NOT NULL,
    algorithm int NOT NULL,
    sign_count bigint NOT NULL,
    backup_eligible int NOT NULL,
    backed_up int NOT NULL,
    aaguid varchar(36) NOT NULL,
    transports varchar(64) NOT NULL,
    name varchar(64) NULL,
    created_at bigint NOT NULL,
    last_used_at bigint NULL,
    UNIQUE (credential_hash)
  )`;

/** `id` is the SHA-256 of the challenge. */
const CHALLENGE = `CREATE TABLE passkey_challenge (
    id varchar(43) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    asked_by varchar(64) NOT NULL,
    purpose varchar(12) NOT NULL,
    security_stamp int NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`;

const INDEXES = [
  { name: 'passkey_user', on: 'passkey (user_id)' },
  { name: 'passkey_challenge_asked', on: 'passkey_challenge (asked_by)' },
  { name: 'passkey_challenge_user', on: 'passkey_challenge (user_id)' },
  { name: 'passkey_challenge_end', on: 'passkey_challenge (expires_at)' },
];

/** Passkeys, and the challenges that wait for a response. */
export class Passkeys1796700000002 implements MigrationInterface {
  readonly name = 'Passkeys1796700000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [PASSKEY, CHALLENGE]) await runner.query(sql + tableSuffix(runner.dataSource));
    for (const { name, on } of INDEXES) await runner.query(`CREATE INDEX ${name} ON ${on}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Without its passkey, an account that has nothing else must not be open to a password alone.
    await runner.query(
      'UPDATE account SET enrolment_forced = 1, backup_set_id = NULL, backup_codes_at = NULL ' +
        'WHERE passkey_count > 0 AND totp_count = 0',
    );
    await runner.query('UPDATE account SET passkey_count = 0 WHERE passkey_count > 0');
    for (const table of ['passkey_challenge', 'passkey']) await runner.query(`DROP TABLE ${table}`);
  }
}
