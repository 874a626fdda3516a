import { describe, expect, it } from 'vitest';
import { unusableReason, type Location, type NamingValue, parseGroup, parseLocations } from './location.js';
import type { Origin } from './origin.js';

const ORIGIN: Origin = { kind: 'variable', name: 'APP_CONFIG_LOCATION' };
const BY: NamingValue = { key: 'app.config.location', origin: ORIGIN, isSecret: false };

function one(text: string): Location {
  const [location] = parseGroup(text, BY);
  if (!location) throw new TypeError(`${text} is no location`);
  return location;
}

describe('a location', () => {
  it.each<[text: string, expected: Pick<Location, 'isOptional' | 'scheme' | 'path'>]>([
    ['file:./config/', { isOptional: false, scheme: 'file', path: './config/' }],
    ['optional:file:/etc/login.yml', { isOptional: true, scheme: 'file', path: '/etc/login.yml' }],
    ['classpath:/config/', { isOptional: false, scheme: 'classpath', path: '/config/' }],
    ['optional:configtree:/run/secrets/', { isOptional: true, scheme: 'configtree', path: '/run/secrets/' }],
    ['env:LOGIN[.yaml]', { isOptional: false, scheme: 'env', path: 'LOGIN[.yaml]' }],
    ['extra.yml', { isOptional: false, scheme: 'relative', path: 'extra.yml' }],
    ['optional:/etc/login.yml', { isOptional: true, scheme: 'relative', path: '/etc/login.yml' }],
    ['file:a:b.yml', { isOptional: false, scheme: 'file', path: 'a:b.yml' }],
  ])('%s is parsed', (text, expected) => {
    expect(one(text)).toEqual({ text, shown: text, key: BY.key, origin: ORIGIN, ...expected });
  });

  it('is separated by ";" within a group, and groups by ","', () => {
    const groups = parseLocations(' a/ ; b/ , c/ ,, ; ,', BY);

    expect(groups.map((group) => group.map(({ text }) => text))).toEqual([['a/', 'b/'], ['c/']]);
  });

  it.each(['', ' ', ',', ';'])('does not exist in "%s"', (text) => {
    expect(parseLocations(text)).toEqual([]);
  });
});

describe('an invalid location', () => {
  it.each(['clsspath:/x/', 'https://host/x.yml', 'classpath*:x.yml', 'optional:optional:x.yml', 'FILE:x.yml'])(
    '%s has an unknown scheme',
    (text) => {
      expect(unusableReason(one(text))).toMatch(/^[A-Za-z*]+: is not one of file:/);
    },
  );

  it.each(['*', '*.yml', 'a*/', '*a/', 'x/*', '*/*/', '*/x/', '*/x/y.yml', '**/', '*/*.yml'])(
    '%s has its wildcard in the wrong place',
    (path) => {
      expect(unusableReason(one(`file:${path}`))).toBe('a * is allowed once, as the whole name of the last folder');
    },
  );

  it.each([
    'file:x/*/',
    '*/',
    '/x/y/*/',
    'file:x/*/y.yml',
    '*/y.yml',
    'x/',
    './a:b.yml',
    'C:/x/',
    'file:a:b.yml',
    'env:A*',
  ])('%s is rejected', (text) => {
    expect(unusableReason(one(text))).toBeUndefined();
  });
});
