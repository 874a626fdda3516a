import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { everyAssignment, fixture, problemsOf, type Shown } from '../support.js';

/**
 * The rows of configuration-sources.md, "Precedence": each is a folder here, with the files of its sources and a
 * `case.yml`.
 */
const ROWS = [
  'all-ranks',
  // Every two neighbours of the ranks.
  'command-line-over-system-property',
  'system-property-over-variable',
  'variable-over-external-profile-file',
  'variable-over-config-folder',
  'external-profile-file-over-config-folder',
  'config-folder-over-working-folder',
  'working-folder-over-packaged-profile-file',
  'working-folder-over-packaged-config-folder',
  'packaged-profile-file-over-packaged-config-folder',
  'packaged-profile-file-over-packaged-default',
  'packaged-config-folder-over-packaged-root',
  // Inside one group of locations.
  'wildcard-folder-over-config-folder',
  'wildcard-folders-in-order-of-their-paths',
  'later-profile-over-earlier',
  'later-profile-over-later-location',
  'profile-order-is-that-of-the-list',
  'properties-over-yml-over-yaml',
  'yml-in-config-folder-over-properties-in-working-folder',
  // Locations that an operator configures.
  'additional-location-over-external-profile-files',
  'additional-location-under-variable',
  'additional-location-that-is-a-default-location',
  'location-replaces-the-default-ones',
  'location-under-additional-location',
  'locations-with-comma-location-over-profile',
  'locations-with-semicolon-profile-over-location',
  'import-of-the-process-over-additional-location',
  // Inside one file.
  'later-document-over-earlier',
  'profile-file-over-on-profile-document',
  'import-over-its-document-under-the-next',
];

/** Imports and their profile variants; the order of each row was observed with Spring Boot 3.5.16. */
const IMPORT_ROWS = [
  'variant-of-an-import-over-every-file-of-the-group',
  'variant-of-an-import-over-profile-file-of-a-later-profile',
  'variant-of-an-import-over-later-document',
  'variant-of-an-import-inside-the-package-alone',
  'variant-of-an-import-in-additional-locations-of-one-group',
  'variant-of-an-import-under-the-next-additional-location',
  'variant-of-an-import-of-an-import-under-the-group',
  'variants-of-imports-of-a-default-file-over-all-of-them',
  'variants-of-imports-of-the-process-over-all-of-them',
  'imports-of-a-profile-file-each-with-its-variant',
  'imports-of-an-on-profile-document-each-with-its-variant',
  'import-of-a-default-file-of-the-package-ranks-with-its-importer',
];

/** Folders of a wildcard; the order of each row was observed with Spring Boot 3.5.16. */
const WILDCARD_ROWS = ['wildcard-file-type-over-folder', 'wildcard-name-over-file-type'];

interface Case {
  readonly args?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly key: string;
  /** The values of all sources, the effective one first. */
  readonly expect: readonly Shown[];
}

function caseOf(row: string): Case {
  return parse(readFileSync(join(import.meta.dirname, row, 'case.yml'), 'utf8')) as Case;
}

/** The expected order of the fixture of a row, and the order that is read. */
function orderOf(row: string): { readonly wanted: readonly Shown[]; readonly found: readonly Shown[] } {
  const { args = [], variables = {}, key, expect: wanted } = caseOf(row);
  const reading = fixture(`precedence/${row}`).read({ args, variables });
  expect(problemsOf(reading)).toEqual([]);
  return { wanted, found: everyAssignment(reading, key) };
}

describe('precedence of configuration sources', () => {
  it.each([
    ...ROWS.map((row) => [row, row] as const),
    ...IMPORT_ROWS.map((row) => [`C1: ${row}`, row] as const),
    ...WILDCARD_ROWS.map((row) => [`C2: ${row}`, row] as const),
  ])('%s: sources override each other in the documented order', (_, row) => {
    const { wanted, found } = orderOf(row);

    expect(found).toEqual(wanted);
  });

  it('every fixture folder has a row', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((item) => item.isDirectory());

    expect(folders.map(({ name }) => name).sort()).toEqual([...ROWS, ...IMPORT_ROWS, ...WILDCARD_ROWS].sort());
  });
});
