import { describe, expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties } from '../../config/config.properties.js';
import { readConfiguration } from '../../config/configuration.js';
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
  ['a role in lower case', 'app.security.mfa.required-roles', 'admin'],
  ['a lock of zero seconds', 'app.security.mfa.lock.duration', '0s'],
  ['a longest lock shorter than the first one', 'app.security.mfa.lock.max-duration', '4m'],
  ['an unknown policy', 'app.security.mfa.policy', 'sometimes'],
  ['a policy from no date', 'app.security.mfa.policy-from', 'soon'],
  ['an unknown strength', 'app.security.mfa.required-strength', 'strong'],
  ['a strength of a role in lower case', 'app.security.mfa.required-strength-roles', 'admin'],
  ['a strength from no date', 'app.security.mfa.required-strength-from', 'soon'],
  ['devices that are trusted for zero days', 'app.security.mfa.trusted-device.days', '0'],
])('startup rejects %s', (_, key, value) => {
  expect(problemsOf(`--${key}=${value}`)).toEqual([key]);
});

it('a first lock may be as long as the longest lock', () => {
  expect(problemsOf('--app.security.mfa.lock.duration=1h')).toEqual([]);
});

describe('the policy for second factors', () => {
  const NOW = 1_800_000_000;
  const FROM = '2027-03-01T00:00:00Z';
  const FROM_SECONDS = Date.parse(FROM) / 1000;
  const ACCOUNT = { roles: ['ROLE_USER'], mfaRequired: false, enrolmentForced: false };
  const ADMIN = { ...ACCOUNT, roles: ['ROLE_USER', 'ROLE_ADMIN'] };
  const policy = (keys: Partial<MfaProperties>): MfaProperties => Object.assign(new MfaProperties(), keys);

  it.each([
    ['an account without further roles', {}, false],
    ['an administrator', { roles: ['ROLE_USER', 'ROLE_ADMIN'] }, true],
    ['an operator of the management endpoints', { roles: ['ROLE_MANAGEMENT'] }, true],
    ['the help desk', { roles: ['ROLE_HELPDESK'] }, true],
    ['a role with a similar name', { roles: ['ROLE_ADMINS'] }, false],
    ['an account with mfaRequired', { mfaRequired: true }, true],
    ['an account whose second factor was reset', { enrolmentForced: true }, true],
  ])('%s must have a second factor: %3$s', (_, facts, expected) => {
    expect(new MfaProperties().demands({ ...ACCOUNT, ...facts }, NOW)).toBe(expected);
  });

  it.each([
    ['without stored roles', { roles: [] }],
    ['with a role of its own', { roles: ['ROLE_CLERK'] }],
    ['with ROLE_USER stored', { roles: ['ROLE_USER'] }],
  ])('A1: required-roles=ROLE_USER, or policy=required, demands a second factor of an account %s', (_, facts) => {
    expect(policy({ requiredRoles: ['ROLE_USER'] }).demands({ ...ACCOUNT, ...facts }, NOW)).toBe(true);
    expect(policy({ policy: 'required', requiredRoles: [] }).demands({ ...ACCOUNT, ...facts }, NOW)).toBe(true);
  });

  it('empty required-roles demand a second factor of no role', () => {
    expect(policy({ requiredRoles: [] }).demands(ADMIN, NOW)).toBe(false);
  });

  it('A1: policy=optional demands a second factor only of accounts that require one, and after a reset', () => {
    const optional = policy({ policy: 'optional' });

    expect(optional.demands(ADMIN, NOW)).toBe(false);
    expect(optional.demands({ ...ACCOUNT, mfaRequired: true }, NOW)).toBe(true);
    expect(optional.demands({ ...ACCOUNT, enrolmentForced: true }, NOW)).toBe(true);
  });

  it.each([
    ['required', ACCOUNT, false, true],
    ['required', ADMIN, true, true],
    ['optional', ADMIN, true, false],
    ['by-role', ACCOUNT, false, false],
    ['by-role', ADMIN, true, true],
  ] as const)('A1: before policy-from, by-role holds in place of %s', (word, account, before, after) => {
    const dated = policy({ policy: word, policyFrom: Date.parse(FROM) });

    expect(dated.demands(account, FROM_SECONDS - 1)).toBe(before);
    expect(dated.demands(account, FROM_SECONDS)).toBe(after);
  });

  it('an account that will need a second factor has the date, until then', () => {
    const dated = policy({ policy: 'required', policyFrom: Date.parse(FROM) });

    expect(dated.demandedFrom(ACCOUNT, NOW)).toBe(FROM_SECONDS);
    expect(dated.demandedFrom(ACCOUNT, FROM_SECONDS)).toBeUndefined();
  });

  it.each([
    ['an account that already needs one', { policy: 'required', policyFrom: Date.parse(FROM) } as const, ADMIN],
    ['an account that will not need one', { policy: 'optional', policyFrom: Date.parse(FROM) } as const, ACCOUNT],
    ['a policy without a date', { policy: 'required' } as const, ACCOUNT],
  ])('%s has no date from which it needs a second factor', (_, keys, account) => {
    expect(policy(keys).demandedFrom(account, NOW)).toBeUndefined();
  });

  describe('the required strength', () => {
    const from = Date.parse(FROM);

    it('by default, no account needs a passkey', () => {
      expect(new MfaProperties().demandsPhishingResistant(ADMIN, NOW)).toBe(false);
      expect(new MfaProperties().phishingResistantFrom(ADMIN, NOW)).toBeUndefined();
    });

    it('phishing-resistant without roles concerns every account, and so demands a second factor of each', () => {
      const strong = policy({ requiredStrength: 'phishing-resistant', policy: 'optional' });

      expect(strong.demandsPhishingResistant({ ...ACCOUNT, roles: [] }, NOW)).toBe(true);
      expect(strong.demands({ ...ACCOUNT, roles: [] }, NOW)).toBe(true);
      expect(strong.isOptional(NOW)).toBe(false);
    });

    it('phishing-resistant with roles concerns accounts with one of them', () => {
      const strong = policy({
        requiredStrength: 'phishing-resistant',
        requiredStrengthRoles: ['ROLE_ADMIN'],
        policy: 'optional',
      });

      expect([ADMIN, ACCOUNT].map((account) => strong.demandsPhishingResistant(account, NOW))).toEqual([true, false]);
      expect([ADMIN, ACCOUNT].map((account) => strong.demands(account, NOW))).toEqual([true, false]);
      expect(strong.isOptional(NOW)).toBe(true);
    });

    it('roles and a date have no effect with the strength any', () => {
      const any = policy({ requiredStrengthRoles: ['ROLE_USER'], requiredStrengthFrom: from });

      expect(any.demandsPhishingResistant(ADMIN, FROM_SECONDS)).toBe(false);
      expect(any.phishingResistantFrom(ADMIN, NOW)).toBeUndefined();
      expect(any.demandedFrom(ACCOUNT, NOW)).toBeUndefined();
    });

    it('the strength takes effect at its date, which an account has until then', () => {
      const dated = policy({ requiredStrength: 'phishing-resistant', requiredStrengthFrom: from });

      expect(dated.demandsPhishingResistant(ADMIN, FROM_SECONDS - 1)).toBe(false);
      expect(dated.demandsPhishingResistant(ADMIN, FROM_SECONDS)).toBe(true);
      expect(dated.phishingResistantFrom(ADMIN, FROM_SECONDS - 1)).toBe(FROM_SECONDS);
      expect(dated.phishingResistantFrom(ADMIN, FROM_SECONDS)).toBeUndefined();
    });

    it('the date of the strength is also that from which an account without a second factor needs one', () => {
      const dated = policy({ requiredStrength: 'phishing-resistant', requiredStrengthFrom: from });

      expect([ACCOUNT, ADMIN].map((account) => dated.demands(account, FROM_SECONDS - 1))).toEqual([false, true]);
      expect([ACCOUNT, ADMIN].map((account) => dated.demandedFrom(account, NOW))).toEqual([FROM_SECONDS, undefined]);
    });

    it.each([
      [-1, FROM_SECONDS - 1],
      [1, FROM_SECONDS],
    ])('with the policy dated %i s from the strength, the earlier date counts', (seconds, expected) => {
      const dated = policy({
        policy: 'required',
        policyFrom: from + seconds * 1000,
        requiredStrength: 'phishing-resistant',
        requiredStrengthFrom: from,
      });

      expect(dated.demandedFrom(ACCOUNT, NOW)).toBe(expected);
    });
  });
});
