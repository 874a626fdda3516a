import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/**
 * The import in progress, of which there is one at most; it holds this row until all accounts that it staged are active or
 * deleted. `first_id` is a lower bound of their ids.
 */
const TABLE = `CREATE TABLE account_import (
    slot int NOT NULL PRIMARY KEY,
    holder varchar(36) NOT NULL,
    state varchar(8) NOT NULL,
    first_id varchar(36) NOT NULL,
    expires_at bigint NOT NULL
  )`;

const ACTIVATE = `UPDATE account SET status = 'active'
  WHERE status = 'staged' AND EXISTS (SELECT 1 FROM account_import WHERE state = 'complete')`;

export class AccountImports1795824000062 implements MigrationInterface {
  readonly name = 'AccountImports1795824000062';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
  }

  /**
   * Activates the accounts of a complete import, which has taken effect, and deletes those of an unfinished one, which the
   * previous version would show as disabled.
   */
  async down(runner: QueryRunner): Promise<void> {
    // An interrupted revert may have dropped the table already.
    if (await runner.hasTable('account_import')) await runner.query(ACTIVATE);
    await runner.query("DELETE FROM totp_secret WHERE user_id IN (SELECT id FROM account WHERE status = 'staged')");
    await runner.query("DELETE FROM account WHERE status = 'staged'");
    await runner.query('DROP TABLE account_import');
  }
}
