import { expect, it } from 'vitest';
import { allows, capped, ownDefaultAccess } from './access.js';
import { ENDPOINT_KEYS } from './access.properties.js';

it.each([
  ['none', []],
  ['read-only', ['GET']],
  ['unrestricted', ['GET', 'POST', 'DELETE']],
] as const)('%s leaves %j', (access, methods) => {
  const all = ['GET', 'POST', 'DELETE'] as const;

  expect(all.filter((method) => allows(access, { method }))).toEqual(methods);
});

it('is the lesser of what is set and what is permitted', () => {
  const words = ['none', 'read-only', 'unrestricted'] as const;
  const table = words.map((limit) => words.map((access) => capped(access, limit)));

  expect(table).toEqual([
    ['none', 'none', 'none'],
    ['none', 'read-only', 'read-only'],
    ['none', 'read-only', 'unrestricted'],
  ]);
});

it('is none for what gives everything away or ends the service, and all there is for the rest', () => {
  const closed = [...ENDPOINT_KEYS.keys()].filter((id) => ownDefaultAccess(id) === 'none');

  expect(closed).toEqual(['heapdump', 'shutdown']);
});
