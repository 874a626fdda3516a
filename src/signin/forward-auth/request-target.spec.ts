import { describe, expect, it } from 'vitest';
import { lenientPath, requestTarget, returnUri } from './request-target.js';

describe('the target of a request to an application', () => {
  it.each([
    ['/', '/'],
    ['/a/b', '/a/b'],
    ['/a/b/?q=//x&r=%2e%2e%2f', '/a/b/'],
    ['/%61dmin', '/admin'],
    ['/%ed%95%9c', '/한'],
    ['/a;v=1/b', '/a;v=1/b'],
    ['/.well-known/x', '/.well-known/x'],
    ['/a..b/...', '/a..b/...'],
    ['/100%25', '/100%'],
    ['/%ef%bd%81%e2%80%8b', '/\uff41\u200b'],
    ['/a?b#c'.replace('#c', ''), '/a'],
  ])('%s has the path %s', (uri, path) => {
    expect(requestTarget(uri)).toEqual({ uri, path });
  });

  it.each([
    ...['', 'a', '*', 'http://wiki.example.com/', '//evil.example/', '/a//b', '/\\evil.example', '/a\\b'],
    ...['/../admin', '/./admin', '/a/..', '/a/.', '/a/..;x=1/b', '/a/..%20/b', '/%2e%2e/admin', '/%2E%2E/admin'],
    ...['/.%2e/admin', '/a%2fb', '/a%2Fb', '/a%5cb', '/a%3bx', '/a%3fx', '/a%23x', '/%252e%252e/admin', '/a%2561'],
    ...['/a%00', '/a%0d%0aSet-Cookie:x', '/a%7f', '/a%e2%80%a8', '/%ff', '/%c0%af', '/a%', '/a%zz'],
    ...[
      '/a b',
      '/a\tb',
      '/a\r\nb',
      '/é',
      '/a#b',
      '/%ef%bc%8e./admin',
      '/.%c2%ad./admin',
      '/a%ef%bc%bcb',
      '/a%ef%bc%8f/b',
      '/%ef%bc%85%32e',
      '/a, /b',
      `/${'a'.repeat(4096)}`,
    ],
  ])('%j is rejected', (uri) => {
    expect(requestTarget(uri)).toBeUndefined();
  });

  it.each([
    [`/a?${'&'.repeat(2045)}`, `/a?${'&'.repeat(2045)}`],
    [`/a?${'&'.repeat(2046)}`, '/a'],
    [`/${'a'.repeat(2048)}?b`, '/'],
  ])('a sign-in returns from %.10s to an address of at most 2048 characters', (uri, address) => {
    expect(returnUri({ uri, path: '/a' })).toBe(address);
  });

  it.each([
    ['/Admin', '/admin'],
    ['/admin;x=1/users', '/admin/users'],
    ['/;x/admin', '/admin'],
    ['/admin./a', '/admin/a'],
    ['/admin /a', '/admin/a'],
    ['/admin/', '/admin'],
    ['/ admin/', '/admin'],
    ['/key\u017f', '/keys'],
    ['/adm\u0131n', '/admin'],
    ['/\u212aeys', '/keys'],
    ['/\uff41dmin', '/admin'],
    ['/ad\u00admin', '/admin'],
    ['/admin\u200b', '/admin'],
    ['/admin\uff0e/a', '/admin/a'],
    ['/\u2002admin', '/admin'],
  ])('a lenient application reads %s as %s', (path, lenient) => {
    expect(lenientPath(path)).toBe(lenient);
  });
});
