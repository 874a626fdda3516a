import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from './migrate.js';

const TABLE = `CREATE TABLE metadata_request (
  idp varchar(64) NOT NULL PRIMARY KEY,
  requests bigint NOT NULL
)`;

/** So that a command can make every running replica read the metadata of an identity provider again. */
export class MetadataRequests1795564933000 implements MigrationInterface {
  readonly name = 'MetadataRequests1795564933000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE metadata_request');
  }
}
