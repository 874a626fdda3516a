import { expect, it } from 'vitest';
import { acceptsType } from './media-ranges.js';

it.each<readonly [string | undefined, string, boolean]>([
  [undefined, 'application/json', true],
  ['*/*', 'application/json', true],
  ['application/json', 'application/json; charset=utf-8', true],
  ['Application/JSON;q=0.5', 'application/json', true],
  ['application/*', 'application/json', true],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json', true],
  ['text/html', 'application/json', false],
  ['text/html', 'text/html; charset=utf-8', true],
  ['image/*', 'image/png', true],
  ['image/*;q=0, */*', 'image/png', false],
  ['image/png, image/*;q=0', 'image/png', true],
  ['application/json;q=0', 'application/json', false],
  ['application/json;q=0.000, */*', 'application/json', false],
  ['application/json;q=0.001', 'application/json', true],
  ['application/json', 'application/jwk-set+json', true],
  ['application/jwk-set+json;q=0, application/json', 'application/jwk-set+json', false],
  ['nonsense', 'application/json', true],
  ['', 'application/json', true],
])('Accept: %s permits %s: %s', (accept, offered, expected) => {
  expect(acceptsType(accept, offered)).toBe(expected);
});
