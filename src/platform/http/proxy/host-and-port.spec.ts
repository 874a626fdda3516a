import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { hostAndPort, hostText } from './host-and-port.js';

describe('hostAndPort', () => {
  it.each([
    ['login.example', { host: 'login.example' }],
    ['LOGIN.Example:8443', { host: 'login.example', port: 8443 }],
    ['web_1', { host: 'web_1' }],
    ['login.example.', { host: 'login.example.' }],
    ['203.0.113.7:80', { host: '203.0.113.7', port: 80 }],
    ['[2001:DB8::1]:443', { host: '[2001:db8::1]', port: 443 }],
  ])('parses %s', (text, read) => {
    expect(hostAndPort(text)).toEqual(read);
  });

  it.each([
    ...[
      '',
      ' ',
      '.',
      '-a',
      'a b',
      'a/b',
      'a@b',
      'a?b',
      'a#b',
      'a\\b',
      'a"b',
      "a'b",
      '<a>',
      'a,b',
      'a;b',
      'a\tb',
      '\u00e9',
    ],
    ...['a:', 'a:0', 'a:65536', 'a:080000', 'a:x', 'a:80:80', ':80', '2001:db8::1', '[2001:db8::1', '[a]', '[]', '[1]'],
    ...['https://a', 'a.example/..', 'a\u0000', 'x'.repeat(300), 'a.'.repeat(10_000)],
  ])('rejects %.40j', (text) => {
    expect(hostAndPort(text)).toBeUndefined();
  });

  it('returns only letters, digits and the characters _ . : [ ] - for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(hostAndPort(text)?.host ?? '').toMatch(/^[\w.:[\]-]*$/);
      }),
    );
  });
});

it.each([
  [{ host: 'a', port: 443 }, 'https', 'a'],
  [{ host: 'a', port: 80 }, 'http', 'a'],
  [{ host: 'a', port: 80 }, 'https', 'a:80'],
  [{ host: 'a', port: 8080 }, 'http', 'a:8080'],
  [{ host: '[::1]' }, 'https', '[::1]'],
] as const)('%j over %s is written %s, as in Origin', (read, scheme, text) => {
  expect(hostText(read, scheme)).toBe(text);
});
