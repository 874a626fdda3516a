import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
/** The ids at the beginning of a title, such as `T6, T14: `. */
const TITLE = /['`"]((?:[A-Z]\d{1,2}, )*[A-Z]\d{1,2}): /g;

/** Ids and numbers of tests in the tier `test`, as the page has them. */
const page = readFileSync(join(ROOT, 'docs/reference/claims.md'), 'utf8');
const claims = Array.from(page.matchAll(/^\| ([A-Z]\d+) +\| +\d+ \| +(\d+) \|/gm), ([, id = '', count]) => ({
  id,
  count: Number(count),
}));

it('docs/reference/claims.md lists the 95 security requirements, each with a test in the tier test', () => {
  expect(claims).toHaveLength(95);
  expect(claims.filter(({ count }) => count === 0)).toEqual([]);
});

// A family of tests has a member in every tier, so a title in a file is a test in the tier `test`.
it('every security requirement has a test with its id in the title', () => {
  const files = globSync(['src/**/*spec.ts', 'test/**/*.ts'], { cwd: ROOT });
  const titles = files.flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(TITLE)]);
  const proven = new Set(titles.flatMap(([, ids = '']) => ids.split(', ')));

  expect(claims.map(({ id }) => id).filter((id) => !proven.has(id))).toEqual([]);
});
