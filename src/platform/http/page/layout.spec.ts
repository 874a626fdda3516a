import { expect, it } from 'vitest';
import { prefersPage } from './layout.js';

it.each<readonly [string | undefined, boolean]>([
  ['text/html', true],
  ['text/*', true],
  ['TEXT/HTML', true],
  ['text/html, */*', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['text/html;q=0.2, application/json;q=0.1', true],
  ['text/html;q=0.2, application/json;q=0', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['nonsense', false],
  ['application/json', false],
  ['application/problem+json, text/html', false],
  ['application/json, text/html;q=0.9', false],
  ['text/html;q=0.1, */*;q=0.2', false],
  ['text/html;q=0', false],
])('Accept: %s prefers a page: %s', (accept, expected) => {
  expect(prefersPage(accept)).toBe(expected);
});
