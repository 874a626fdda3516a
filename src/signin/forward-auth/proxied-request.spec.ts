import { describe, expect, it } from 'vitest';
import { isNavigation, proxiedRequest, type RequestHeaders } from './proxied-request.js';

const ORIGIN = 'https://wiki.example.com';
const read = (
  headers: Readonly<Record<string, string>>,
  form: RequestHeaders = 'forwarded',
): ReturnType<typeof proxiedRequest> => proxiedRequest(headers, form, ORIGIN);

describe('a request that a proxy describes', () => {
  it('has the target of X-Forwarded-Uri at the forwarded origin', () => {
    const proxied = read({ 'x-forwarded-uri': '/a?b=c', 'x-forwarded-method': 'PATCH' });

    expect(proxied).toEqual({ origin: ORIGIN, target: { uri: '/a?b=c', path: '/a' }, method: 'PATCH' });
  });

  it.each([
    ['https://shop.example.com/a?b=c', 'https://shop.example.com', '/a?b=c'],
    ['https://shop.example.com', 'https://shop.example.com', '/'],
    ['http://shop.example.com:8080/', 'http://shop.example.com:8080', '/'],
    ['https://SHOP.example.com:443/A', 'https://shop.example.com', '/A'],
  ])('has origin and target of X-Original-URL %s', (url, origin, uri) => {
    expect(read({ 'x-original-url': url, 'x-original-method': 'GET' }, 'original')).toMatchObject({
      ...{ origin, target: { uri } },
    });
  });

  it.each([
    ['forwarded', { 'x-forwarded-uri': '/a' }],
    ['forwarded', { 'x-forwarded-method': 'GET' }],
    ['forwarded', { 'x-forwarded-uri': '/a, /b', 'x-forwarded-method': 'GET' }],
    ['forwarded', { 'x-forwarded-uri': '/a', 'x-forwarded-method': 'GET, POST' }],
    ['forwarded', { 'x-forwarded-uri': '/a', 'x-forwarded-method': 'get' }],
    ['forwarded', { 'x-original-url': `${ORIGIN}/a`, 'x-original-method': 'GET' }],
    ['original', { 'x-forwarded-uri': '/a', 'x-forwarded-method': 'GET' }],
    ['original', { 'x-original-url': '/a', 'x-original-method': 'GET' }],
    ['original', { 'x-original-url': 'https://wiki.example.com, https://a.example/', 'x-original-method': 'GET' }],
    ['original', { 'x-original-url': 'https://wiki.example.com@evil.example/', 'x-original-method': 'GET' }],
    ['original', { 'x-original-url': 'https://wiki.example.com\\@evil.example/', 'x-original-method': 'GET' }],
    ['original', { 'x-original-url': 'https://wiki.example.com//evil.example', 'x-original-method': 'GET' }],
    ['original', { 'x-original-url': 'https://wiki.example.com?a', 'x-original-method': 'GET' }],
    ['original', { 'x-original-url': 'javascript:alert(1)', 'x-original-method': 'GET' }],
  ] as const)('is rejected with the form %s and the headers %o', (form, headers) => {
    expect(read(headers, form)).toBeUndefined();
  });

  it.each([
    ['GET', { accept: 'text/html,*/*;q=0.8' }, true],
    ['HEAD', { accept: 'text/html', 'sec-fetch-mode': 'navigate' }, true],
    ['POST', { accept: 'text/html' }, false],
    ['GET', { accept: '*/*' }, false],
    ['GET', {}, false],
    ['GET', { accept: 'text/html', 'sec-fetch-mode': 'no-cors' }, false],
    ['GET', { accept: 'text/html', 'x-requested-with': 'XMLHttpRequest' }, false],
  ])('by %s with %o is one of a page: %s', (method, headers, expected) => {
    const proxied = read({ 'x-forwarded-uri': '/', 'x-forwarded-method': method });

    expect(proxied && isNavigation(proxied, headers)).toBe(expected);
  });
});
