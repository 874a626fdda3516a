import { expect, it } from 'vitest';
import { place } from '../../../test/config/support.js';
import { Configuration } from '../../config/configuration.js';
import { type Rule, RuleFacts } from '../../config/check/rule.js';
import { proxiesTrusted, safeForwardAuth } from './forward-auth.rule.js';

const PUBLIC_URL = 'app.security.public-url: https://login.example.com/auth';

function problemsOf(rule: Rule, yaml: string, publicUrl = PUBLIC_URL): readonly string[] {
  const { environment, registry, instances } = place({ 'work/application.yml': `${publicUrl}\n${yaml}` }).read();
  const inputs = { args: [], variables: {}, workingFolder: '/', packageFolder: '/' };
  const facts = new RuleFacts(new Configuration(environment, registry, [], instances), inputs);
  return (rule.check(facts) as ReturnType<typeof safeForwardAuth.check>).map(
    ({ severity, facts }) => `${severity} ${new Map(facts).get('Property') ?? ''}`,
  );
}

const rules = (members: string): string => `app.security.forward-auth.rules: {${members}}`;

it.each([
  ['a rule without an address', 'a: {roles: ROLE_A}', 'error app.security.forward-auth.rules.a.url'],
  [
    'two rules for one address',
    'a: {url: "https://wiki.example.com"}, b: {url: "https://wiki.example.com", roles: ROLE_A}',
    'error app.security.forward-auth.rules.b.url',
  ],
  [
    'two ports of one host name',
    'a: {url: "https://wiki.example.com/admin", roles: ROLE_A}, b: {url: "https://wiki.example.com:8443", public: true}',
    'error app.security.forward-auth.rules.b.url',
  ],
  [
    'another port of the service',
    'a: {url: "https://login.example.com:8443"}',
    'error app.security.forward-auth.rules.a.url',
    'warning app.security.forward-auth.rules.a.url',
  ],
  [
    'the host of the service, whose pages the scripts of the application could read',
    'a: {url: "https://login.example.com/app"}',
    'warning app.security.forward-auth.rules.a.url',
  ],
  [
    'a public rule with demands',
    'a: {url: "https://wiki.example.com", public: true, max-age: 5m}',
    'error app.security.forward-auth.rules.a.public',
  ],
  [
    'http outside of loopback addresses',
    'a: {url: "http://wiki.example.com"}',
    'breach app.security.forward-auth.rules.a.url',
  ],
  ['another domain', 'a: {url: "https://wiki.example.org"}', 'breach app.security.forward-auth.rules.a.url'],
  ['a domain with a like end', 'a: {url: "https://evil-example.com"}', 'breach app.security.forward-auth.rules.a.url'],
])('the rule about forward authentication finds %s', (_, members, ...problems) => {
  expect(problemsOf(safeForwardAuth, rules(members))).toEqual(problems);
});

it('forward authentication needs a public URL', () => {
  const yaml = rules('a: {url: "https://wiki.example.com"}');

  expect(problemsOf(safeForwardAuth, yaml, '')).toEqual(['error app.security.public-url']);
  expect(problemsOf(safeForwardAuth, '', '')).toEqual([]);
});

it('the rule about forward authentication accepts hosts below one parent domain, and parts of applications', () => {
  const members = [
    ...['a: {url: "https://wiki.example.com"}', 'b: {url: "https://wiki.example.com/admin", roles: ROLE_A}'],
    ...['c: {url: "https://a.b.example.com"}'],
    'e: {url: "https://example.com", public: true}',
  ];

  expect(problemsOf(safeForwardAuth, rules(members.join(', ')))).toEqual([]);
});

it.each(['none', 'framework'])('forward authentication rejects the strategy %s for forwarding headers', (strategy) => {
  const yaml = `server.forward-headers-strategy: ${strategy}`;
  const withRule = `${rules('a: {url: "https://wiki.example.com"}')}\n${yaml}`;

  expect(problemsOf(proxiesTrusted, withRule)).toEqual(['error server.forward-headers-strategy']);
  expect(problemsOf(proxiesTrusted, withRule.replace(strategy, 'native'))).toEqual([]);
  expect(problemsOf(proxiesTrusted, yaml)).toEqual([]);
});

it.each(['wiki.example.com', 'https://wiki.example.com/', 'https://wiki.example.com/a?b', 'https://*.example.com'])(
  'the address %s of a rule is rejected',
  (url) => {
    const problems = place({ 'work/application.yml': rules(`a: {url: "${url}"}`) }).read().problems;

    expect(problems.map(({ facts }) => new Map(facts).get('Property'))).toEqual([
      'app.security.forward-auth.rules.a.url',
    ]);
  },
);
