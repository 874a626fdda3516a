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
])('matches %j anywhere in a key: %j', (pattern, expected) => {
  expect([...(keysMatching(pattern, KEYS) ?? ['refused'])]).toEqual(expected);
});

it.each(['(', '[', '*', '(?<', 'a{2,1}', '\\'])('refuses %j, which is no expression', (pattern) => {
  expect(keysMatching(pattern, KEYS)).toBeUndefined();
});

it('refuses an expression of more than 200 characters', () => {
  expect(keysMatching('a'.repeat(200), KEYS)?.size).toBe(0);
  expect(keysMatching('a'.repeat(201), KEYS)).toBeUndefined();
});

it.each(['(a+)+$', '(a|a)*$', '^(a|aa)+$', '(.*)*x', '(\\w+\\.?)+!'])('H6: gives up on %j in time', (pattern) => {
  expect(keysMatching(pattern, [`${'a'.repeat(50_000)}-`])).toBeUndefined();
});

it('leaves the expression nothing of the process to reach', () => {
  expect([...(keysMatching('constructor', ['constructor', '__proto__']) ?? [])]).toEqual(['constructor']);
});
