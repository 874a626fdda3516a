import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/**
 * Mails until the relay has accepted them; `facts` is a flat JSON object of texts without secrets. A replica claims a mail
 * by moving `next_attempt_at` to the end of its lease. All times are milliseconds, except `expires_at`, which the sweep reads
 * in seconds.
 */
const TABLE = `CREATE TABLE mail_message (
    id varchar(36) NOT NULL PRIMARY KEY,
    message_id varchar(255) NOT NULL,
    created_at bigint NOT NULL,
    template varchar(64) NOT NULL,
    user_id varchar(36) NOT NULL,
    facts text NOT NULL,
    state varchar(8) NOT NULL,
    attempts int NOT NULL,
    next_attempt_at bigint NOT NULL,
    give_up_at bigint NOT NULL,
    last_error varchar(64),
    expires_at bigint NOT NULL
  )`;

export class MailMessages1796000000101 implements MigrationInterface {
  readonly name = 'MailMessages1796000000101';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX mail_message_due ON mail_message (state, next_attempt_at)');
    await runner.query('CREATE INDEX mail_message_end ON mail_message (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mail_message');
  }
}
