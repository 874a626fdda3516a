import { describe, expect, it } from 'vitest';
import { areRoles, isEmail, rolesOf, rolesText, rolesWritten } from './account.js';

describe('roles of accounts', () => {
  it('are stored in alphabetical order without duplicates', () => {
    expect(rolesText(['ROLE_B', 'ROLE_A', 'ROLE_B'])).toBe('ROLE_A,ROLE_B');
    expect(rolesOf('ROLE_A,ROLE_B')).toEqual(['ROLE_A', 'ROLE_B']);
    expect(rolesOf('')).toEqual([]);
  });

  it('are read from a list with commas, semicolons, bars or blanks', () => {
    expect(rolesWritten(' ROLE_A, ROLE_B;ROLE_C|ROLE_D ')).toEqual(['ROLE_A', 'ROLE_B', 'ROLE_C', 'ROLE_D']);
    expect(rolesWritten(' ')).toEqual([]);
  });

  it.each([['ROLE_ADMIN'], ['ROLE_TEAM_7']])('may be named %s', (role) => {
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
  ])('may not be named "%s"', (role) => {
    expect(areRoles(['ROLE_ADMIN', role])).toBe(false);
  });

  it('are rejected if their text is longer than the column', () => {
    const many = Array.from({ length: 100 }, (_, index) => `ROLE_NUMBER_${index}`);

    expect(areRoles(many)).toBe(false);
  });
});

describe('isEmail', () => {
  it.each([['anna@example.org'], ['a.b+c@sub.example.org'], ['jürgen@müller.example']])('accepts %s', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  it.each([
    [''],
    ['anna'],
    ['anna@'],
    ['@example.org'],
    ['a@b@example.org'],
    ['anna@example.org\r\nBcc: all@example.org'],
    ['Anna <anna@example.org>'],
    ['anna@example.org,berta@example.org'],
    ['an na@example.org'],
    [`anna@${'x'.repeat(250)}`],
    ['anna\ud800@example.org'],
  ])('rejects "%s"', (text) => {
    expect(isEmail(text)).toBe(false);
  });
});
