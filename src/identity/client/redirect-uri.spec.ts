import { describe, expect, it } from 'vitest';
import { formActionSource, isPlainHttpElsewhere, isRedirectUri, redirectUriProblem } from './redirect-uri.js';

describe('what can be registered as a redirect URI', () => {
  it.each([
    'https://app.example/cb',
    'https://app.example/cb?tenant=1',
    'http://127.0.0.1/cb',
    'http://[::1]/cb',
    'com.example.app:/cb',
  ])('%s is accepted', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  it.each([
    'https://*.example/cb',
    'https://app.example/*',
    'https://app.example/cb#top',
    'https://user@app.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    '/cb',
    'app:/cb',
    'https://app.example/c b',
  ])('%s is rejected', (uri) => {
    expect(redirectUriProblem(uri)).toBeDefined();
  });
});

describe('which requests name a registered redirect URI', () => {
  it.each([
    'https://app.example/cb/',
    'https://app.example/CB',
    'https://APP.example/cb',
    'https://app.example:443/cb',
    'https://app.example/cb?x=1',
    'https://app.example/cb#x',
    'https://app.example/%63b',
    'https://app.example/x/../cb',
    'http://app.example/cb',
    'https://app.example.evil.example/cb',
  ])('%s is not https://app.example/cb', (requested) => {
    expect(isRedirectUri('https://app.example/cb', requested)).toBe(false);
  });

  it('the port of a loopback address is free, and nothing else of it (RFC 8252, section 7.3)', () => {
    const accepts = (requested: string): boolean => isRedirectUri('http://127.0.0.1/cb', requested);

    expect(['http://127.0.0.1:49152/cb', 'http://127.0.0.1/cb'].every(accepts)).toBe(true);
    const others = [
      'http://127.0.0.1:1/other',
      'http://127.0.0.1:x/cb',
      'http://127.0.0.1.evil/cb',
      'http://localhost:1/cb',
    ];
    expect(others.some(accepts)).toBe(false);
    expect(isRedirectUri('http://localhost:80/cb', 'http://localhost:81/cb')).toBe(false);
  });
});

it('http is unsafe outside of loopback addresses', () => {
  expect(isPlainHttpElsewhere('http://app.example/cb')).toBe(true);
  expect(
    ['https://app.example/', 'http://localhost:3/', 'http://127.0.0.1/', 'com.app:/'].some(isPlainHttpElsewhere),
  ).toBe(false);
});

it('a form may lead to the origin of a redirect URI, to any port of a loopback address, or to its scheme', () => {
  const sources = ['https://app.example:8443/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'].map(formActionSource);

  expect(sources).toEqual(['https://app.example:8443', 'http://127.0.0.1:*', 'com.example.app:']);
});
