import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { FIRST_KEYS } from '../../src/apps/cli/config/first-keys.js';
import { configurationReference } from '../../src/apps/cli/config/configuration-reference.js';
import { pageOf } from '../../src/apps/cli/config/reference-pages.js';
import { packagedValues } from '../../src/apps/cli/config/packaged-values.js';
import { metadataOf } from '../../src/config/bind/properties-class.js';
import { KeyName } from '../../src/config/names/key-name.js';
import { KeyRegistry } from '../../src/config/names/key-registry.js';
import { PROPERTIES } from '../../src/apps/server/properties.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../src/resources/', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../docs/reference/configuration/', import.meta.url));
const PAGES = new Map(readdirSync(FOLDER).map((name) => [name, readFileSync(FOLDER + name, 'utf8')]));
const INDEX = PAGES.get('README.md') ?? '';

describe('the pages of docs/reference/configuration', () => {
  const generated = configurationReference(new KeyRegistry(PROPERTIES), packagedValues(PROPERTIES, PACKAGE_FOLDER));

  it('no page of the configuration reference is missing or left over', () => {
    expect([...PAGES.keys()].toSorted()).toEqual([...generated.keys()].toSorted());
  });

  it.each([...generated])('%s matches the registry; npm run docs regenerates it', (name, text) => {
    expect(PAGES.get(name)).toBe(text);
  });

  it('the index names the keys of every prefix', () => {
    for (const owner of PROPERTIES) expect(INDEX).toContain(`  - \`${metadataOf(owner).prefix}\`: \``);
  });

  it('a prefix that no page lists is rejected', () => {
    expect(pageOf('app.mail.retry').name).toBe('mail');
    expect(() => pageOf('apps.mail')).toThrow('No page of the reference has the prefix apps.mail');
  });
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

interface Row {
  readonly key: string;
  readonly byDefault: string;
  readonly packaged: string;
  readonly variable: string;
  readonly effect: string;
  readonly does: string;
}

const cellsOf = (row: string): readonly string[] =>
  row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));

/** The rows of the tables by prefix, which have eight cells. */
const ROWS: readonly Row[] = Array.from([...PAGES.values()].join('\n').matchAll(/^\| (`[^`]+` \|.*)\|$/gm)).flatMap(
  ([, row = '']) => {
    const [key = '', , byDefault = '', packaged = '', variable = '', effect = '', , does, ...rest] = cellsOf(row);
    return does === undefined || rest.length > 1
      ? []
      : [{ key: key.replaceAll('`', ''), byDefault, packaged, variable: variable.replaceAll('`', ''), effect, does }];
  },
);

describe('the tables of the configuration reference', () => {
  const registry = new KeyRegistry(PROPERTIES);
  const settable = ROWS.filter(({ variable }) => /^[A-Z]/.test(variable));

  it('each key has one row with a default, a sentence about what it does, and its variable', () => {
    expect(ROWS.length).toBeGreaterThan(340);
    expect(new Set(ROWS.map(({ key }) => key)).size).toBe(ROWS.length);
    expect(ROWS.map(({ key }) => key)).toEqual(expect.arrayContaining(registry.definitions.map(({ name }) => name)));
    for (const { key, byDefault, does, variable } of ROWS) {
      expect(byDefault, key).not.toBe('');
      expect(does, key).toMatch(/^["A-Z].*\.$/);
      expect(variable, key).toMatch(/^(?:[A-Z][A-Z\d_<>]*|those of its members|none: only in files)$/);
    }
  });

  it.each(settable)('the variable $variable sets $key', ({ key, variable }) => {
    const set = registry.keyOfVariable(variable.replaceAll(/<[^>]*>/g, 'SAMPLE'));

    expect(String(set).replaceAll(/[-_]/g, '').toLowerCase()).toBe(
      key
        .replaceAll(/<[^>]*>/g, 'sample')
        .replaceAll(/[-_]/g, '')
        .toLowerCase(),
    );
  });

  it.each(ROWS.filter(({ effect }) => effect !== 'F'))(
    'the row of $key gives the reason for its effect $effect in one sentence',
    ({ effect, does }) => {
      const [, reason = ''] = does.split(`**${effect}:** `);

      expect(reason).toMatch(/^[A-Z].*\.$/);
      expect(reason).not.toMatch(/\. [A-Z]/);
      expect(reason.split(' ').length).toBeGreaterThanOrEqual(5);
    },
  );

  it('a key with a packaged value shows its default beside it', () => {
    const differing = ROWS.filter(({ packaged, byDefault }) => packaged !== '' && !packaged.startsWith(byDefault));

    expect(differing.length).toBeGreaterThan(40);
    for (const { byDefault, key } of differing) expect(byDefault, key).not.toBe('');
  });

  it('the fifteen keys most people touch first exist, with their variables and a sentence each', () => {
    const [, section = ''] = /^## The fifteen keys.*?$(.*?)^## /ms.exec(INDEX) ?? [];
    const first = Array.from(section.matchAll(/^\| (`.*)\|$/gm), ([, row = '']) => cellsOf(row));

    expect(first.map(([key]) => key)).toEqual([...FIRST_KEYS.keys()].map((key) => `\`${key}\``));
    expect(first).toHaveLength(15);
    for (const [key = '', variable = '', sentence = ''] of first) {
      const row = ROWS.find((each) => `\`${each.key}\`` === key);
      expect(`\`${row?.variable ?? ''}\``).toBe(variable);
      expect(sentence).toMatch(/^[A-Z].*\.$/);
    }
  });
});

/** The column "Packaged" by key. */
const COLUMN = new Map(ROWS.map(({ key, packaged }) => [key, packaged]));

/** The expected cell for a leaf; for maps and named objects the cell names the entry. */
function cellOf(leaf: string, value: string): { readonly key: string; readonly cell: string } {
  const definition = new KeyRegistry(PROPERTIES).find(KeyName.parse(leaf));
  const key = definition?.name ?? leaf;
  const [base = '', rest] = key.split(/<.*>/);
  const entry = leaf.slice(base.length, leaf.length - (rest?.length ?? 0));
  const shown = value === '' ? '(empty)' : `\`${value}\``;
  return { key, cell: rest === undefined ? shown : `\`${entry}\` ${shown}` };
}

const BASE = leavesOf(undefined);
const PROFILES = readdirSync(PACKAGE_FOLDER).flatMap((file) => /^application-(.+)\.yml$/.exec(file)?.[1] ?? []);

describe('the packaged values of the configuration reference', () => {
  it('C7: profiles dev and prod have packaged files', () => {
    expect(PROFILES.sort()).toEqual(['dev', 'prod']);
    expect(BASE.size).toBeGreaterThan(60);
  });

  it.each([...BASE])('C7: the reference shows the packaged value of %s as %s', (leaf, value) => {
    const { key, cell } = cellOf(leaf, value);

    expect(COLUMN.get(key)?.split('; ')).toContain(cell);
  });

  it.each(
    PROFILES.flatMap((profile) => Array.from(leavesOf(profile), ([leaf, value]) => [profile, leaf, value] as const)),
  )('C7: the reference shows that profile %s sets %s to %s', (profile, leaf, value) => {
    const { key, cell } = cellOf(leaf, value);

    expect(COLUMN.get(key)?.split('; ')).toContain(BASE.get(leaf) === value ? cell : `${profile}: ${cell}`);
  });

  it('C7: the reference shows no packaged value that no file has', () => {
    const counted = [...COLUMN.values()].flatMap((cell) => (cell === '' ? [] : cell.split('; '))).length;
    const differing = PROFILES.flatMap((profile) =>
      Array.from(leavesOf(profile)).filter(([leaf, value]) => BASE.get(leaf) !== value),
    );

    expect(counted).toBe(BASE.size + differing.length);
  });
});
