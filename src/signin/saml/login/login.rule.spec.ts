import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { ConfigProperties, ProfilesProperties } from '../../../config/config.properties.js';
import { configurationOf, readConfiguration } from '../../../config/configuration.js';
import { type RuleProblem, RuleFacts } from '../../../config/check/rule.js';
import { contextClassesUsable } from './login.rule.js';
import { SamlProperties } from '../saml.properties.js';

const CLASSES = [ConfigProperties, ProfilesProperties, SamlProperties];
const STAFF = 'app.security.saml.idp.staff';

function problems(keys: readonly string[], variables: Readonly<Record<string, string>> = {}): readonly RuleProblem[] {
  const workingFolder = temporaryFolder('context-classes');
  mkdirSync(workingFolder, { recursive: true });
  const lines = ['metadata: file:idp.xml', ...keys].map((key) => `  ${key}\n`);
  writeFileSync(join(workingFolder, 'application.yml'), `${STAFF}:\n${lines.join('')}`);
  const inputs = { args: [], variables, workingFolder, packageFolder: '/nowhere' };
  return contextClassesUsable.check(new RuleFacts(configurationOf(readConfiguration(CLASSES, inputs)), inputs));
}

it.each([
  [],
  [
    'authn-context.map: {"[MultiFactor]": pwd, "[https://refeds.org/profile/mfa]": pwd, "[urn:example:Strong]": "pwd,otp"}',
  ],
  ['authn-context.map: {MultiFactor: pwd}'],
  ['authn-context.comparison: better', 'authn-context.request: Password'],
  ['authn-context.comparison: better'],
  ['on-missing-mfa: deny'],
  ['on-missing-mfa: deny', 'authn-context.presets: ""', 'authn-context.map: {Strong: otp}'],
  ['on-missing-mfa: deny', 'report-only: true', 'authn-context.presets: ""'],
])('the rule accepts %s', (...keys) => {
  expect(problems(keys)).toEqual([]);
});

it('X14: the rule warns of a class that lost its colons outside brackets', () => {
  expect(problems(['authn-context.map: {"https://refeds.org/profile/mfa": pwd}'])).toMatchObject([
    {
      severity: 'warning',
      what: 'The context class httpsrefeds.orgprofilemfa does not match https://refeds.org/profile/mfa: names are compared exactly',
      action: `Use the key ${STAFF}.authn-context.map.[https://refeds.org/profile/mfa] in a file, with the brackets.`,
    },
  ]);
});

it('X14: the rule warns of a class that lost its capitals in a variable', () => {
  expect(problems([], { APP_SECURITY_SAML_IDP_STAFF_AUTHNCONTEXT_MAP_MULTIFACTOR: 'pwd' })).toMatchObject([
    {
      severity: 'warning',
      what: 'The context class multifactor does not match MultiFactor: names are compared exactly',
      facts: expect.arrayContaining([['Value', '"pwd"']]) as unknown,
    },
  ]);
});

it('X14: the rule warns of a class that the map and the request spell differently', () => {
  const keys = ['authn-context.request: urn:example:Strong', 'authn-context.map: {"[urn:example:strong]": "pwd,otp"}'];

  expect(problems(keys)).toMatchObject([
    { what: expect.stringContaining('does not match urn:example:Strong') as unknown },
  ]);
});

it.each(['MultiFactor', 'urn:example:unknown', 'Password, MultiFactor'])(
  'the rule warns if no context class is better than %s',
  (request) => {
    expect(problems(['authn-context.comparison: better', `authn-context.request: ${request}`])).toMatchObject([
      {
        severity: 'warning',
        what: 'No login can be better than the requested context classes',
        facts: expect.arrayContaining([['Property', `${STAFF}.authn-context.comparison`]]) as unknown,
      },
    ]);
  },
);

it.each([
  ['authn-context.presets: ""'],
  ['authn-context.presets: refeds', 'authn-context.map: {"[https://refeds.org/profile/mfa]": pwd}'],
])('the rule warns if on-missing-mfa=deny rejects every login: %s', (...keys) => {
  expect(problems(['on-missing-mfa: deny', ...keys])).toMatchObject([
    { severity: 'warning', what: 'Every login is rejected, because no context class proves otp' },
  ]);
});
