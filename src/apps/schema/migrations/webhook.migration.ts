import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';
import { isEmbedded } from './columns.migration.js';

/**
 * Events that the webhook has not delivered. `id` is that of the event, `queue` the user whose events stay in order, and `position` its place there.
 * Instants are seconds since 1970.
 */
const TABLE = `CREATE TABLE webhook_delivery (
    id varchar(36) NOT NULL PRIMARY KEY,
    queue varchar(36) NOT NULL,
    position int NOT NULL,
    kind varchar(32) NOT NULL,
    body text NOT NULL,
    state varchar(8) NOT NULL,
    attempts int NOT NULL,
    next_at bigint NOT NULL,
    leased_until bigint NOT NULL,
    failure varchar(64) NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`;

export class WebhookDeliveries1796000000202 implements MigrationInterface {
  readonly name = 'WebhookDeliveries1796000000202';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner.dataSource));
    await runner.query('CREATE INDEX webhook_delivery_next ON webhook_delivery (state, next_at)');
    await runner.query('CREATE INDEX webhook_delivery_queue ON webhook_delivery (queue, state, position)');
    await runner.query('CREATE INDEX webhook_delivery_end ON webhook_delivery (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_delivery');
  }
}

/** The application whose address a delivery goes to; empty for the webhook. */
export class DeliveryTargets1797000000171 implements MigrationInterface {
  readonly name = 'DeliveryTargets1797000000171';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE webhook_delivery ADD COLUMN target varchar(64) NOT NULL DEFAULT ''");
    await replaceIndex(runner, 'state, next_at, target');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, 'state, next_at');
    await runner.query('ALTER TABLE webhook_delivery DROP COLUMN target');
  }
}

async function replaceIndex(runner: QueryRunner, columns: string): Promise<void> {
  await runner.query(`DROP INDEX webhook_delivery_next${isEmbedded(runner) ? '' : ' ON webhook_delivery'}`);
  await runner.query(`CREATE INDEX webhook_delivery_next ON webhook_delivery (${columns})`);
}
