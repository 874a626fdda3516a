import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import '../../../src/apps/schema/backup-tables.js';
import { entities, tableOf } from '../../../src/platform/persistence/schema/expected-schema.js';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));
/** Migrations and backups concern all tables. */
const SCHEMA = 'apps/schema/';
/** A statement with the name of a table, or a repository of an entity. */
const ACCESS = /\b(?:FROM|INTO|JOIN|UPDATE)\s+([a-z][a-z_]+)\b|\brepository\((\w+Entity)\)/g;

/**
 * Tables that a second folder names, each with its reason.
 * - `account` from `second-factor`: the row of an account decides attempts, locks and authenticators (decision 0011).
 * - `used_mfa_token` from `second-factor`: an attempt is taken on condition that the token is unused, in one statement.
 */
const SHARED = ['account second-factor', 'used_mfa_token second-factor'];

/** A mapper file belongs to the folder that it is named after. */
const MAPPERS = 'resources/mapper/';
const sources = globSync(['**/*.ts', `${MAPPERS}**/*.xml`], { cwd: SRC })
  .filter((file) => !file.endsWith('.spec.ts'))
  .map((file) => ({ file: file.replace(MAPPERS, ''), text: readFileSync(SRC + file, 'utf8') }));
const tables = new Map(entities().map((entity) => [entity.name, tableOf(entity).name]));
const names = new Set(tables.values());

it('every table is read and changed by one folder', () => {
  const folders = new Map<string, Set<string>>();
  for (const { file, text } of sources.filter((each) => !each.file.startsWith(SCHEMA))) {
    const folder = folderOf(file);
    for (const [, name, entity = ''] of text.matchAll(ACCESS)) {
      const table = name ?? tables.get(entity) ?? '';
      if (names.has(table) && !SHARED.includes(`${table} ${folder}`)) {
        folders.set(table, (folders.get(table) ?? new Set()).add(folder));
      }
    }
  }

  expect(tables.size).toBeGreaterThan(10);
  expect([...folders].filter(([, owners]) => owners.size !== 1)).toEqual([]);
  expect([...folders.keys()].sort()).toEqual([...names].sort());
});

/** The folder of an idea inside its room; mapper files lie in a folder of that name. */
function folderOf(file: string): string {
  const [room = '', folder = ''] = file.split('/');
  return file.endsWith('.xml') ? room : folder;
}
