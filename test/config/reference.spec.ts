import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { configurationReference } from '../../src/cli/configuration-reference.js';
import { packagedValues } from '../../src/cli/packaged-values.js';
import { KeyName } from '../../src/config/names/key-name.js';
import { KeyRegistry } from '../../src/config/names/key-registry.js';
import { PROPERTIES } from '../../src/boot/properties.js';

const PAGE = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
const PACKAGE_FOLDER = fileURLToPath(new URL('../../src/resources/', import.meta.url));

it('docs/configuration.md matches the registry; npm run docs regenerates it', () => {
  const made = configurationReference(new KeyRegistry(PROPERTIES), packagedValues(PROPERTIES, PACKAGE_FOLDER));

  expect(PAGE.trimEnd()).toBe(made.trimEnd());
});

/** The leaves of a packaged file by their keys, read without code of the service. */
function leavesOf(profile: string | undefined): ReadonlyMap<string, string> {
  const name = profile === undefined ? 'application.yml' : `application-${profile}.yml`;
  const leaves = new Map<string, string>();
  const visit = (node: unknown, key: string): void => {
    if (typeof node !== 'object' || node === null) leaves.set(key, String(node));
    else for (const [part, child] of Object.entries(node)) visit(child, key === '' ? part : `${key}.${part}`);
  };
  visit(parse(readFileSync(PACKAGE_FOLDER + name, 'utf8')), '');
  return leaves;
}

/** The column "Packaged" by key. */
const COLUMN = new Map(
  Array.from(PAGE.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm), ([, key = '', rest = '']) => {
    const [, , packaged = ''] = rest.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
    return [key, packaged] as const;
  }),
);

/** The expected cell for a leaf; for maps and named objects the cell names the entry. */
function cellOf(leaf: string, value: string): { readonly key: string; readonly cell: string } {
  const definition = new KeyRegistry(PROPERTIES).find(KeyName.parse(leaf));
  const key = definition?.name ?? leaf;
  const [base = '', rest] = key.split(/<.*>/);
  const entry = leaf.slice(base.length, leaf.length - (rest?.length ?? 0));
  return { key, cell: rest === undefined ? `\`${value}\`` : `\`${entry}\` \`${value}\`` };
}

const BASE = leavesOf(undefined);
const PROFILES = readdirSync(PACKAGE_FOLDER).flatMap((file) => /^application-(.+)\.yml$/.exec(file)?.[1] ?? []);

describe('the packaged values of docs/configuration.md', () => {
  it('C7: profiles dev and prod have packaged files', () => {
    expect(PROFILES.sort()).toEqual(['dev', 'prod']);
    expect(BASE.size).toBeGreaterThan(60);
  });

  it.each([...BASE])('C7: docs/configuration.md shows the packaged value of %s as %s', (leaf, value) => {
    const { key, cell } = cellOf(leaf, value);

    expect(COLUMN.get(key)?.split('; ')).toContain(cell);
  });

  it.each(
    PROFILES.flatMap((profile) => Array.from(leavesOf(profile), ([leaf, value]) => [profile, leaf, value] as const)),
  )('C7: docs/configuration.md shows that profile %s sets %s to %s', (profile, leaf, value) => {
    const { key, cell } = cellOf(leaf, value);

    expect(COLUMN.get(key)?.split('; ')).toContain(BASE.get(leaf) === value ? cell : `${profile}: ${cell}`);
  });

  it('C7: docs/configuration.md shows no packaged value that no file has', () => {
    const counted = [...COLUMN.values()].flatMap((cell) => (cell === '' ? [] : cell.split('; '))).length;
    const differing = PROFILES.flatMap((profile) =>
      Array.from(leavesOf(profile)).filter(([leaf, value]) => BASE.get(leaf) !== value),
    );

    expect(counted).toBe(BASE.size + differing.length);
  });
});
