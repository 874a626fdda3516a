import { expect, it } from 'vitest';
import { MfaProperties } from './mfa.properties.js';
import { isDemanded } from './policy.js';

const NOBODY = { roles: ['ROLE_USER'], mfaRequired: false, enrolmentForced: false };

it.each([
  ['nobody in particular', {}, false],
  ['an administrator', { roles: ['ROLE_USER', 'ROLE_ADMIN'] }, true],
  ['the management', { roles: ['ROLE_MANAGEMENT'] }, true],
  ['a role of a similar name', { roles: ['ROLE_ADMINS'] }, false],
  ['a user of whom it is required', { mfaRequired: true }, true],
  ['a user who was reset', { enrolmentForced: true }, true],
])('a second factor of %s is demanded: %3$s', (_, facts, expected) => {
  expect(isDemanded({ ...NOBODY, ...facts }, new MfaProperties())).toBe(expected);
});

it.each([
  ['without stored roles', { roles: [] }],
  ['with a role of its own', { roles: ['ROLE_CLERK'] }],
  ['with ROLE_USER stored', { roles: ['ROLE_USER'] }],
])('A1: required-roles=ROLE_USER demands a second factor of an account %s', (_, facts) => {
  expect(isDemanded({ ...NOBODY, ...facts }, { requiredRoles: ['ROLE_USER'] })).toBe(true);
});

it('is demanded of no role where none is configured', () => {
  expect(isDemanded({ ...NOBODY, roles: ['ROLE_ADMIN'] }, { requiredRoles: [] })).toBe(false);
});
