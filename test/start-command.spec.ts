import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PLACES = ['package.json', 'docs/how-to/deploy/server.md', 'docker-compose.yml', 'README.md', '.env.example'];

it('every documented start command passes the same options to Node', () => {
  const options = PLACES.flatMap((place) => {
    const text = readFileSync(join(import.meta.dirname, '..', place), 'utf8').replaceAll(/[",]/g, '');
    const shown = Array.from(text.matchAll(/\bnode((?: --[\w=.-]+)*) \S*dist\/main\.js/g), ([, given = '']) =>
      given.replace('--env-file=.env', '').trim(),
    );
    expect(shown, place).not.toEqual([]);
    return shown;
  });

  expect(new Set(options)).toEqual(new Set(['--max-semi-space-size=4 --disable-sigusr1']));
});
