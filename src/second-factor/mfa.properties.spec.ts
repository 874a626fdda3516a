import { describe, expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties } from '../config/config.properties.js';
import { readConfiguration } from '../config/configuration.js';
import { MfaProperties } from './mfa.properties.js';

function problemsOf(...args: readonly string[]): readonly string[] {
  const inputs = { args, variables: {}, workingFolder: '/nowhere', packageFolder: '/nowhere' };
  const { problems } = readConfiguration([ConfigProperties, ProfilesProperties, MfaProperties], inputs);
  return problems.flatMap(({ facts }) => facts.filter(([label]) => label === 'Property').map(([, key]) => key));
}

it('the default lockout schedule has the lengths of the contract', () => {
  expect(new MfaProperties().lockoutSchedule).toEqual([300, 600, 1200, 2400, 3600]);
});

it.each([
  ['an issuer with a colon', 'app.security.mfa.issuer', 'A:B'],
  ['an empty issuer', 'app.security.mfa.issuer', ''],
  ['a role in lower case', 'app.security.mfa.required-roles', 'admin'],
  ['a lock of zero seconds', 'app.security.mfa.lock.duration', '0s'],
  ['a longest lock shorter than the first one', 'app.security.mfa.lock.max-duration', '4m'],
  ['devices that are trusted for zero days', 'app.security.mfa.trusted-device.days', '0'],
])('rejects %s', (_, key, value) => {
  expect(problemsOf(`--${key}=${value}`)).toEqual([key]);
});

it('accepts a first lock as long as the longest lock', () => {
  expect(problemsOf('--app.security.mfa.lock.duration=1h')).toEqual([]);
});

describe('the policy for second factors', () => {
  const ACCOUNT = { roles: ['ROLE_USER'], mfaRequired: false, enrolmentForced: false };
  const requiring = (...requiredRoles: readonly string[]): MfaProperties =>
    Object.assign(new MfaProperties(), { requiredRoles });

  it.each([
    ['an account without further roles', {}, false],
    ['an administrator', { roles: ['ROLE_USER', 'ROLE_ADMIN'] }, true],
    ['an operator of the management endpoints', { roles: ['ROLE_MANAGEMENT'] }, true],
    ['the help desk', { roles: ['ROLE_HELPDESK'] }, true],
    ['a role with a similar name', { roles: ['ROLE_ADMINS'] }, false],
    ['an account with mfaRequired', { mfaRequired: true }, true],
    ['an account whose second factor was reset', { enrolmentForced: true }, true],
  ])('%s must have a second factor: %3$s', (_, facts, expected) => {
    expect(new MfaProperties().demands({ ...ACCOUNT, ...facts })).toBe(expected);
  });

  it.each([
    ['without stored roles', { roles: [] }],
    ['with a role of its own', { roles: ['ROLE_CLERK'] }],
    ['with ROLE_USER stored', { roles: ['ROLE_USER'] }],
  ])('A1: required-roles=ROLE_USER demands a second factor of an account %s', (_, facts) => {
    expect(requiring('ROLE_USER').demands({ ...ACCOUNT, ...facts })).toBe(true);
  });

  it('empty required-roles demand a second factor of no role', () => {
    expect(requiring().demands({ ...ACCOUNT, roles: ['ROLE_ADMIN'] })).toBe(false);
  });
});
