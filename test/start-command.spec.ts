import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PLACES = ['package.json', 'docs/operations.md', 'docker-compose.yml'];

it('npm start, the unit file and the container give Node the same options', () => {
  const options = PLACES.map((place) => {
    const text = readFileSync(join(import.meta.dirname, '..', place), 'utf8').replaceAll(/[",]/g, '');
    const [, given = 'none'] = /\bnode((?: --[\w=-]+)*) \S*dist\/main\.js/.exec(text) ?? [];
    return given.trim();
  });

  expect(new Set(options)).toEqual(new Set([options[0]]));
  expect(options[0]).toMatch(/^--/);
});
