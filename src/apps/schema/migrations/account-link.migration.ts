import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/**
 * Mailed links, each for one act of one account; only the hash of a token is stored. `slot` has one row for each account and
 * kind of which a new link replaces the previous one. `state` is what the account must still be for the link to be valid.
 */
const TABLE = `CREATE TABLE account_link (
    slot varchar(64) NOT NULL PRIMARY KEY,
    user_id varchar(36) NOT NULL,
    kind varchar(16) NOT NULL,
    token_hash varchar(43) NULL,
    state varchar(43) NOT NULL,
    requested_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    UNIQUE (token_hash)
  )`;

/**
 * `password_version` counts the passwords that were set or removed, so that a link is void once its account has another one;
 * `invited_at` is set until an invitation is accepted.
 */
export class AccountLinks1796000000102 implements MigrationInterface {
  readonly name = 'AccountLinks1796000000102';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX account_link_user ON account_link (user_id)');
    await runner.query('CREATE INDEX account_link_end ON account_link (expires_at)');
    await runner.query('ALTER TABLE account ADD COLUMN password_version bigint NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE account ADD COLUMN invited_at bigint NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN invited_at');
    await runner.query('ALTER TABLE account DROP COLUMN password_version');
    await runner.query('DROP TABLE account_link');
  }
}

/**
 * `account.email_version` counts the changes of the address, so that a link is void once the account has another address, also
 * after the former one has come back. `account_link.email_version` is that of the address that the mail with the link went
 * to; -1 for an address that the account no longer had.
 */
export class AddressVersions1796900000501 implements MigrationInterface {
  readonly name = 'AddressVersions1796900000501';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN email_version bigint NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE account_link ADD COLUMN email_version bigint NOT NULL DEFAULT -1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_link DROP COLUMN email_version');
    await runner.query('ALTER TABLE account DROP COLUMN email_version');
  }
}
