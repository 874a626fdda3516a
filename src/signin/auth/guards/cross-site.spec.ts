import { expect, it } from 'vitest';
import { isCrossSite } from './cross-site.js';

const KNOWN = { own: new Set(['https://login.example']), allowed: new Set(['https://portal.example']) };

it.each([
  { facts: { fetchSite: 'same-origin', origin: 'https://login.example' }, refused: false },
  { facts: { fetchSite: 'same-origin' }, refused: false },
  { facts: {}, refused: false },
  { facts: { origin: 'https://login.example' }, refused: false },
  { facts: { origin: 'https://portal.example', isForAllowed: true }, refused: false },
  { facts: { fetchSite: 'cross-site', origin: 'https://portal.example', isForAllowed: true }, refused: false },
  { facts: { origin: 'https://portal.example' }, refused: true },
  { facts: { origin: 'https://evil.example', isForAllowed: true }, refused: true },
  { facts: { fetchSite: 'cross-site', origin: 'https://login.example' }, refused: true },
  { facts: { fetchSite: 'cross-site' }, refused: true },
  { facts: { fetchSite: 'same-site' }, refused: true },
  { facts: { fetchSite: 'none' }, refused: true },
  { facts: { origin: 'null' }, refused: true },
  { facts: { origin: 'https://evil.example' }, refused: true },
  { facts: { origin: 'http://login.example' }, refused: true },
  { facts: { fetchSite: 'same-origin', origin: 'https://evil.example' }, refused: true },
])('S5: a POST with $facts is rejected: $refused', ({ facts, refused }) => {
  expect(isCrossSite({ method: 'POST', ...facts }, KNOWN)).toBe(refused);
});

it.each([
  { facts: { fetchSite: 'none' }, refused: false },
  { facts: { fetchSite: 'none', origin: 'https://login.example' }, refused: false },
  { facts: { fetchSite: 'none', origin: 'https://evil.example' }, refused: true },
  { facts: { fetchSite: 'none', origin: 'null' }, refused: true },
  { facts: { fetchSite: 'same-site' }, refused: true },
  { facts: { fetchSite: 'cross-site' }, refused: true },
])('S5: the form of a page, sent with $facts, is rejected: $refused', ({ facts, refused }) => {
  expect(isCrossSite({ method: 'POST', isPage: true, ...facts }, KNOWN)).toBe(refused);
});

it('S3: a GET request of an allowed origin is rejected unless the route is for allowed origins', () => {
  const facts = { method: 'GET', origin: 'https://portal.example' };

  expect(isCrossSite(facts, KNOWN)).toBe(true);
  expect(isCrossSite({ ...facts, isForAllowed: true }, KNOWN)).toBe(false);
});

it.each(['GET', 'HEAD', 'OPTIONS'])(
  'S5: a %s request is accepted from an origin whose scripts cannot read the response',
  (method) => {
    expect(isCrossSite({ method, fetchSite: 'cross-site', origin: 'https://evil.example' }, KNOWN)).toBe(false);
  },
);
