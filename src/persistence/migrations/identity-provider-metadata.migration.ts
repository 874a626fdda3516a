import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tableSuffix } from './migrate.js';

const TABLE = `CREATE TABLE saml_metadata (
  idp varchar(64) NOT NULL PRIMARY KEY,
  url varchar(1024) NOT NULL,
  document mediumtext NOT NULL,
  fetched_at bigint NOT NULL
)`;

/** So that a start knows the identity providers of staff while the URL of their metadata is out of reach. */
export class IdentityProviderMetadata1795478400000 implements MigrationInterface {
  readonly name = 'IdentityProviderMetadata1795478400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE + tableSuffix(runner));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE saml_metadata');
  }
}
