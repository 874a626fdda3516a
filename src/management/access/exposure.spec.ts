import { expect, it } from 'vitest';
import { isExposed } from './exposure.js';

it.each([
  { include: ['health'], exclude: [], exposed: true },
  { include: ['*'], exclude: [], exposed: true },
  { include: ['HEALTH'], exclude: [], exposed: true },
  { include: [], exclude: [], exposed: false },
  { include: ['info'], exclude: [], exposed: false },
  { include: ['*'], exclude: ['health'], exposed: false },
  { include: ['health'], exclude: ['*'], exposed: false },
  { include: ['health'], exclude: ['He-alth'], exposed: false },
])('include $include without $exclude exposes health: $exposed', ({ include, exclude, exposed }) => {
  expect(isExposed('health', include, exclude)).toBe(exposed);
});

it('compares ids without case, dashes and dots', () => {
  expect(isExposed('httpexchanges', ['http-exchanges'], [])).toBe(true);
});
