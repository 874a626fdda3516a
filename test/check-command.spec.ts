import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROGRAMS } from './support/runner/binaries.js';

it('T1: the check hides every program that a test may look for', () => {
  const script = readFileSync(join(import.meta.dirname, '../.ci/run'), 'utf8');
  const hidden = /^hidden='([^']+)'$/m.exec(script)?.[1]?.split(/\s+/) ?? [];
  // Only macOS has a program with a space in its name, outside the path.
  const names = Object.values(PROGRAMS)
    .flat()
    .filter((name) => !name.includes(' '));

  expect(names.filter((name) => !hidden.includes(name))).toEqual([]);
});
