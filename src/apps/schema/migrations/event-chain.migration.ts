import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from '../../../platform/persistence/table-options.js';

/** -1 for a new event, 0 for one that existed before; otherwise the batch that relayed it. */
const COLUMN = 'ALTER TABLE security_event ADD COLUMN batch bigint NOT NULL DEFAULT 0';
const INDEX = 'CREATE INDEX security_event_batch ON security_event (batch, id)';
/** `at` counts milliseconds. */
const BATCHES = `CREATE TABLE event_batch (
    batch bigint NOT NULL PRIMARY KEY,
    begins int NOT NULL,
    first_id varchar(36) NOT NULL,
    last_id varchar(36) NOT NULL,
    events int NOT NULL,
    at bigint NOT NULL,
    content varchar(64) NOT NULL,
    hash varchar(64) NOT NULL
  )`;
/** One row, which names the last batch. */
const HEAD = `CREATE TABLE event_chain (
    slot int NOT NULL PRIMARY KEY,
    batch bigint NOT NULL,
    hash varchar(64) NOT NULL,
    deleted bigint NOT NULL,
    deleted_hash varchar(64) NOT NULL,
    seal_key varchar(64) NOT NULL,
    mac varchar(64) NOT NULL
  )`;

/** Batches of security events, each with a hash over its events and the batch before. */
export class EventChain1796000000201 implements MigrationInterface {
  readonly name = 'EventChain1796000000201';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMN);
    await runner.query(INDEX);
    await runner.query(BATCHES + tableSuffix(runner.dataSource));
    await runner.query(HEAD + tableSuffix(runner.dataSource));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE event_chain');
    await runner.query('DROP TABLE event_batch');
    const isEmbedded = runner.dataSource.options.type === 'better-sqlite3';
    await runner.query(`DROP INDEX security_event_batch${isEmbedded ? '' : ' ON security_event'}`);
    await runner.query('ALTER TABLE security_event DROP COLUMN batch');
  }
}
