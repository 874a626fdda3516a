import { expect, it } from 'vitest';
import { keysMatching } from './env.endpoint.js';

const KEYS = ['server.port', 'server.address', 'SERVER_PORT', 'app.mail.port'];

it.each([
  ['port', ['server.port', 'app.mail.port']],
  ['^server\\.', ['server.port', 'server.address']],
  ['PORT$', ['SERVER_PORT']],
  ['', KEYS],
  ['nothing', []],
  ['s.rver', ['server.port', 'server.address']],
])('the pattern %j matches anywhere in a key: %j', (pattern, expected) => {
  expect([...(keysMatching(pattern, KEYS) ?? ['refused'])]).toEqual(expected);
});

it.each(['(', '[', '*', '(?<', 'a{2,1}', '\\'])('the pattern %j is rejected as an invalid expression', (pattern) => {
  expect(keysMatching(pattern, KEYS)).toBeUndefined();
});

it('a pattern of more than 200 characters is rejected', () => {
  expect(keysMatching('a'.repeat(200), KEYS)?.size).toBe(0);
  expect(keysMatching('a'.repeat(201), KEYS)).toBeUndefined();
});

it.each(['(a+)+$', '(a|a)*$', '^(a|aa)+$', '(.*)*x', '(\\w+\\.?)+!'])(
  'H6: the pattern %j is stopped in time',
  (pattern) => {
    expect(keysMatching(pattern, [`${'a'.repeat(50_000)}-`])).toBeUndefined();
  },
);

it('the pattern constructor matches only the key of that name', () => {
  expect([...(keysMatching('constructor', ['constructor', '__proto__']) ?? [])]).toEqual(['constructor']);
});
