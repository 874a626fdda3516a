import { describe, expect, it } from 'vitest';
import { sightOf, type Show } from './visibility.js';

const operator = { name: 'operator', roles: ['ROLE_MANAGEMENT', 'AUDIT'] };

function sees(show: Show, roles: readonly string[], isKnown: boolean): boolean {
  return sightOf({ showDetails: show, showComponents: 'never', roles }, isKnown ? operator : undefined).details;
}

describe('details', () => {
  it.each([
    ['never', [], true, false],
    ['always', [], false, true],
    ['always', ['NOBODY'], false, true],
    ['when-authorized', [], false, false],
    ['when-authorized', [], true, true],
    ['when-authorized', ['MANAGEMENT'], false, false],
    ['when-authorized', ['MANAGEMENT'], true, true],
    ['when-authorized', ['ROLE_MANAGEMENT'], true, true],
    ['when-authorized', ['AUDIT'], true, true],
    ['when-authorized', ['ROLE_AUDIT'], true, false],
    ['when-authorized', ['OTHER', 'MANAGEMENT'], true, true],
    ['when-authorized', ['OTHER'], true, false],
  ] as const)('%s with the roles %j are shown to a known caller (%s): %s', (show, roles, isKnown, shown) => {
    expect(sees(show, roles, isKnown)).toBe(shown);
  });
});

it('components and details are judged each by its own', () => {
  const visibility = { showComponents: 'always', showDetails: 'when-authorized', roles: [] } as const;

  expect(sightOf(visibility, undefined)).toEqual({ components: true, details: false });
  expect(sightOf(visibility, operator)).toEqual({ components: true, details: true });
});
