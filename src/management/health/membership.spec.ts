import { describe, expect, it } from 'vitest';
import { isMember, unknownMembers } from './membership.js';

describe('a component belongs to a group', () => {
  it.each([
    { path: 'db', include: [], exclude: [], is: true },
    { path: 'db', include: ['*'], exclude: [], is: true },
    { path: 'db', include: ['db'], exclude: [], is: true },
    { path: 'db', include: ['mail'], exclude: [], is: false },
    { path: 'db', include: ['d'], exclude: [], is: false },
    { path: 'DB', include: ['db'], exclude: [], is: false },
    { path: 'db', include: ['*'], exclude: ['db'], is: false },
    { path: 'db', include: ['db'], exclude: ['*'], is: false },
    { path: 'stores/main', include: ['stores'], exclude: [], is: true },
    { path: 'stores/main', include: ['stores/main'], exclude: [], is: true },
    { path: 'stores/spare', include: ['stores/main'], exclude: [], is: false },
    { path: 'stores/spare', include: ['stores'], exclude: ['stores/main'], is: true },
    { path: 'stores/main', include: ['stores'], exclude: ['stores/main'], is: false },
    { path: 'stores/main', include: ['stores/main'], exclude: ['stores'], is: false },
    { path: 'storesmain', include: ['stores'], exclude: [], is: false },
  ])('$path to $include without $exclude: $is', ({ path, include, exclude, is }) => {
    expect(isMember(path, { include, exclude })).toBe(is);
  });
});

it('names that no component has are found, each once', () => {
  const membership = { include: ['*', 'db', 'dba', 'stores/none'], exclude: ['dba', 'Mail', 'stores/main'] };

  expect(unknownMembers(membership, ['db', 'mail', 'stores', 'stores/main'])).toEqual(['dba', 'stores/none', 'Mail']);
});
