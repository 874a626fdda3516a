import { expect, it } from 'vitest';
import { isPlainHttp } from './cookies.js';

it.each([
  ['http', 'login.example.com', true],
  ['http', 'login.example.com:8080', true],
  ['http', '10.0.0.5:8080', true],
  ['http', 'localhost.example.com', true],
  ['http', '127.0.0.1.example.com', true],
  ['http', '[fe80::1]:8080', true],
  ['https', 'login.example.com', false],
  ['http', 'localhost', false],
  ['http', 'LOCALHOST:8080', false],
  ['http', 'login.localhost:8080', false],
  ['http', '127.0.0.1:8080', false],
  ['http', '127.1.2.3', false],
  ['http', '[::1]:8080', false],
])('A6: a browser that uses %s with host %s drops Secure cookies: %s', (protocol, host, expected) => {
  expect(isPlainHttp({ protocol, host, headers: {} })).toBe(expected);
});

it('A6: a request with Sec-Fetch-Site came over https to the proxy, so the browser keeps Secure cookies', () => {
  const headers = { 'sec-fetch-site': 'none' };
  expect(isPlainHttp({ protocol: 'http', host: 'login.example.com', headers })).toBe(false);
});
