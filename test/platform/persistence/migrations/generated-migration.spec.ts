import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/platform/persistence/database.js';
import { freshMariadbDatabase } from '../../../support/database/fresh-database.js';
import { temporaryFolder } from '../../../support/programs/temporary-folder.js';
import { needs } from '../../../support/runner/needs.js';

type Account = Parameters<typeof openDatabase>[0];

const ROOT = new URL('../../../../', import.meta.url);
const TYPEORM = new URL('node_modules/typeorm/cli.js', ROOT).pathname;

/** A data source of `ormconfig.ts` after a developer has added a column to an entity. */
const CHANGED = `import { createRequire } from 'node:module';
import { dataSource } from '${new URL('ormconfig.ts', ROOT).href}';
import { MetadataRequestEntity } from '${new URL('dist/signin/saml/idp/metadata-request.entity.js', ROOT).href}';

const { Column } = createRequire('${ROOT.href}')('typeorm');
Column('varchar', { length: 8, nullable: true })(MetadataRequestEntity.prototype, 'note');
export { dataSource };
`;

/** The statements forward that `migration:generate` writes. */
async function generated({ url, username, password }: Account): Promise<readonly string[]> {
  await (await openDatabase({ url, username: username ?? '', password: password ?? '' })).destroy();
  const folder = temporaryFolder('generated');
  const config = join(folder, 'changed.mjs');
  writeFileSync(config, CHANGED);
  await promisify(execFile)(process.execPath, [TYPEORM, 'migration:generate', join(folder, 'Note'), '-d', config], {
    env: { APP_DATASOURCE_URL: url, APP_DATASOURCE_USERNAME: username, APP_DATASOURCE_PASSWORD: password },
    cwd: folder,
  });
  const name = readdirSync(folder).find((file) => file.endsWith('-Note.ts')) ?? '';
  const [forward = ''] = readFileSync(join(folder, name), 'utf8').split('async down');
  return Array.from(forward.matchAll(/query\(`(.*)`\);/g), ([, sql = '']) => sql.replaceAll('\\`', ''));
}

describe('a migration that TypeORM generates for a new column', () => {
  it('rebuilds only the table of the entity on SQLite', async () => {
    const statements = await generated({ url: `jdbc:sqlite:${join(temporaryFolder('generated'), 'login.db')}` });

    expect(statements).toEqual([
      expect.stringMatching(/^CREATE TABLE "temporary_metadata_request" \(.*, "note" varchar\(8\)\) WITHOUT ROWID$/),
      expect.stringMatching(/^INSERT INTO "temporary_metadata_request"\("idp", "requests"\) SELECT/),
      'DROP TABLE "metadata_request"',
      'ALTER TABLE "temporary_metadata_request" RENAME TO "metadata_request"',
    ]);
  });
});

needs('mariadb')('a migration that TypeORM generates for a new column', () => {
  it('is one statement on MariaDB', async () => {
    expect(await generated(await freshMariadbDatabase())).toEqual([
      'ALTER TABLE metadata_request ADD note varchar(8) NULL',
    ]);
  });
});
