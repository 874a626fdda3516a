import { describe, expect, it } from 'vitest';
import { headersWithoutSecrets, urlWithoutSecrets } from './without-secrets.js';

describe('L1: a recorded URL', () => {
  it.each([
    ['http://login.internal/login', 'http://login.internal/login'],
    ['http://h/users?page=2&size=10', 'http://h/users?page=2&size=10'],
    ['http://h/x?access_token=abc&page=2', 'http://h/x?access_token=******&page=2'],
    ['http://h/x?page=2&Password=a%26b', 'http://h/x?page=2&Password=******'],
    ['http://h/x?p%61ssword=abc', 'http://h/x?p%61ssword=******'],
    ['http://h/x?code=123456&state=s', 'http://h/x?code=******&state=s'],
    ['http://h/x?SAMLResponse=PHNhbWw', 'http://h/x?SAMLResponse=******'],
    ['http://h/x?return=/y?secret=abc', 'http://h/x?return=/y?secret=******'],
    ['http://h/x?token', 'http://h/x?token'],
    ['https://me:open-sesame@h/x', 'https://******@h/x'],
  ])('%s is kept as %s', (url, kept) => {
    expect(urlWithoutSecrets(url)).toBe(kept);
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
    ':path',
  ])('leave out %s', (name) => {
    expect(headersWithoutSecrets({ [name]: 'abc', accept: 'text/html' })).toEqual({ accept: ['text/html'] });
  });

  it('keep every value of the others, as text', () => {
    expect(headersWithoutSecrets({ Via: ['a', 'b'], 'content-length': 12, vary: undefined })).toEqual({
      via: ['a', 'b'],
      'content-length': ['12'],
    });
  });

  it('mask what is secret in the URLs that they hold', () => {
    expect(headersWithoutSecrets({ referer: 'https://h/x?token=abc', location: '/y?ticket=abc' })).toEqual({
      referer: ['https://h/x?token=******'],
      location: ['/y?ticket=******'],
    });
  });
});
