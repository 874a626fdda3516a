import { describe, expect, it } from 'vitest';
import { areRoles, rolesOf, rolesText, rolesWritten } from './role-names.js';

describe('roles', () => {
  it('are stored in order and once each', () => {
    expect(rolesText(['ROLE_B', 'ROLE_A', 'ROLE_B'])).toBe('ROLE_A,ROLE_B');
    expect(rolesOf('ROLE_A,ROLE_B')).toEqual(['ROLE_A', 'ROLE_B']);
    expect(rolesOf('')).toEqual([]);
  });

  it('are written between commas, semicolons, bars or blanks', () => {
    expect(rolesWritten(' ROLE_A, ROLE_B;ROLE_C|ROLE_D ')).toEqual(['ROLE_A', 'ROLE_B', 'ROLE_C', 'ROLE_D']);
    expect(rolesWritten(' ')).toEqual([]);
  });

  it.each([['ROLE_ADMIN'], ['ROLE_TEAM_7']])('may be %s', (role) => {
    expect(areRoles([role])).toBe(true);
  });

  it.each([
    ['ADMIN'],
    ['ROLE_'],
    ['role_admin'],
    ['ROLE_A,ROLE_B'],
    ['ROLE_PRE_MFA'],
    [`ROLE_${'A'.repeat(60)}`],
    [''],
  ])('may not be "%s"', (role) => {
    expect(areRoles(['ROLE_ADMIN', role])).toBe(false);
  });

  it('are no more than the column takes', () => {
    const many = Array.from({ length: 100 }, (_, index) => `ROLE_NUMBER_${index}`);

    expect(areRoles(many)).toBe(false);
  });
});
