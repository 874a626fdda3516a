import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KINDS } from './security-event.js';

it('docs/reference/events.md lists all kinds of events in the order of the code', () => {
  const page = readFileSync(new URL('../../../docs/reference/events.md', import.meta.url), 'utf8');
  const listed = Array.from(page.matchAll(/^\| `([A-Z_]+)` +\|/gm), ([, kind]) => kind);

  expect(listed).toEqual([...KINDS]);
});
