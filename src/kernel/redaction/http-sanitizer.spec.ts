import { describe, expect, it } from 'vitest';
import { SECRET_NAMES } from '../../../test/support/login/secret-names.js';
import { sanitizeHeaders, sanitizeTarget } from './http-sanitizer.js';

const JWS = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln';

describe('L1: a recorded request target', () => {
  it.each([
    ['/login', '/login'],
    ['/users?page=2&size=10', '/users?page=2&size=10'],
    ['/x?access_token=abc&page=2', '/x?access_token=******&page=2'],
    ['/x?page=2&Password=a%26b', '/x?page=2&Password=******'],
    ['/x?p%61ssword=abc', '/x?p%61ssword=******'],
    ['/x?code=123456&state=s', '/x?code=******&state=s'],
    ['/x?SAMLResponse=PHNhbWw', '/x?SAMLResponse=******'],
    ['/x?return=/y?secret=abc', '/x?return=/y?secret=******'],
    ['/x?return=https://me:open-sesame@h', '/x?return=******'],
    ['/x?return=%2Fy%3Fpage%3D2%26code%3Dabc&page=2', '/x?return=******&page=2'],
    ['/x?return=https%3A%2F%2Fme%3Aopen-sesame%40h', '/x?return=******'],
    ['/x?sent=%7B%22password%22%3A%22abc%22%7D', '/x?sent=******'],
    ['/x?return=%2Fy%3Fpage%3D2', '/x?return=%2Fy%3Fpage%3D2'],
    ['//me:open-sesame@h/x', '//******@h/x'],
    [`/x?t=${JWS}`, '/x?t=******'],
    [`/x?${JWS}`, '/x?******'],
    ['/x?token', '/x?token'],
    ['/x?', '/x?'],
    [`/reset/${JWS}/form?page=2`, '/reset/eyJhbG.../form?page=2'],
  ])('%s is recorded as %s', (target, shown) => {
    expect(sanitizeTarget(target)).toBe(shown);
  });

  it.each(['pw', 'new_pw', 'current', 'new', 'credential', 'backup_codes', 'backup_codes[0]', 'NEW_PW'])(
    'X8: the value of %s in a query is masked',
    (name) => {
      expect(sanitizeTarget(`/x?${name}=seven+quiet+lanterns&page=2`)).toBe(`/x?${name}=******&page=2`);
    },
  );

  it.each(['renew', 'news', 'currently', 'pwa'])('the value of %s in a query is shown', (name) => {
    expect(sanitizeTarget(`/x?${name}=1`)).toBe(`/x?${name}=1`);
  });

  it.each(SECRET_NAMES)('omits the value of %s', (name) => {
    expect(sanitizeTarget(`/x?${name}=x7&page=2`)).toBe(`/x?${name}=******&page=2`);
  });
});

describe('L1: recorded headers', () => {
  it.each([
    'Authorization',
    'proxy-authorization',
    'Cookie',
    'set-cookie',
    'x-original-cookie',
    'x-api-key',
    'X-Auth-Token',
    'x-xsrf-token',
  ])('omit %s', (name) => {
    expect(sanitizeHeaders({ [name]: 'abc', accept: 'text/html' })).toEqual({ accept: ['text/html'] });
  });

  it('keep all values of other headers as text', () => {
    expect(sanitizeHeaders({ Via: ['a', 'b'], 'content-length': 12, vary: undefined })).toEqual({
      via: ['a', 'b'],
      'content-length': ['12'],
    });
  });

  it('mask a signed token under any name', () => {
    expect(sanitizeHeaders({ 'x-oidc-data': JWS })).toEqual({ 'x-oidc-data': ['******'] });
  });

  it('mask secrets in URLs', () => {
    expect(sanitizeHeaders({ referer: 'https://h/x?page=2', location: '/y?ticket=abc' })).toEqual({
      referer: ['https://h/x'],
      location: ['/y?ticket=******'],
    });
  });
});
