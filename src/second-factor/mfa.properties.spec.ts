import { expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties } from '../config/config.properties.js';
import { readConfiguration } from '../config/configuration.js';
import { MfaProperties } from './mfa.properties.js';

function problemsOf(...args: readonly string[]): readonly string[] {
  const inputs = { args, variables: {}, workingFolder: '/nowhere', packageFolder: '/nowhere' };
  const { problems } = readConfiguration([ConfigProperties, ProfilesProperties, MfaProperties], inputs);
  return problems.flatMap(({ facts }) => facts.filter(([label]) => label === 'Property').map(([, key]) => key));
}

it('has the lengths of locks that the contract names', () => {
  expect(new MfaProperties().lockoutSchedule).toEqual([300, 600, 1200, 2400, 3600]);
});

it.each([
  ['an issuer with a colon', 'app.security.mfa.issuer', 'A:B'],
  ['no issuer at all', 'app.security.mfa.issuer', ''],
  ['a role in small letters', 'app.security.mfa.required-roles', 'admin'],
  ['a lock of no time', 'app.security.mfa.lock.duration', '0s'],
  ['a longest lock shorter than the first', 'app.security.mfa.lock.max-duration', '4m'],
  ['devices that are trusted for no day', 'app.security.mfa.trusted-device.days', '0'],
])('does not take %s', (_, key, value) => {
  expect(problemsOf(`--${key}=${value}`)).toEqual([key]);
});

it('takes locks of one length', () => {
  expect(problemsOf('--app.security.mfa.lock.duration=1h')).toEqual([]);
});
