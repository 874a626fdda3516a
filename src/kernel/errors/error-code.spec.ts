import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STATUS } from './error-code.js';
import { TEXT } from './error-text.js';

const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
const rows = Array.from(
  page.matchAll(/^\| `([A-Z_]+)` +\| (\d{3}) +\| (.+?) +\| (.+?) +\|$/gm),
  ([, ...cells]) => cells,
);

describe('docs/reference/errors.md', () => {
  it('lists exactly the existing codes in their order, with their statuses', () => {
    expect(rows.map(([code, status]) => [code, Number(status)])).toEqual(Object.entries(STATUS));
  });

  it('repeats the advice of the error texts', () => {
    expect(rows.map(([code, , , advice]) => [code, advice])).toEqual(
      Object.entries(TEXT).map(([code, { advice }]) => [code, advice]),
    );
  });
});

it('every error code has a unique title', () => {
  const titles = Object.values(TEXT).map(({ title }) => title);

  expect(new Set(titles).size).toBe(titles.length);
});
