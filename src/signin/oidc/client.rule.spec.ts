import { expect, it } from 'vitest';
import { place } from '../../../test/config/support.js';
import { Configuration } from '../../config/configuration.js';
import { type Rule, RuleFacts } from '../../config/check/rule.js';
import { codesAreBound, ownAudience, safeClients } from './client.rule.js';

const SECRET = 'a-secret-of-twenty-eight-chars';

function problemsOf(rule: Rule, members: string): readonly string[] {
  const { environment, registry, instances } = place({ 'work/application.yml': members }).read();
  const inputs = { args: [], variables: {}, workingFolder: '/', packageFolder: '/' };
  const facts = new RuleFacts(new Configuration(environment, registry, [], instances), inputs);
  return (rule.check(facts) as ReturnType<typeof safeClients.check>).map(
    ({ severity, facts }) => `${severity} ${new Map(facts).get('Property') ?? ''}`,
  );
}

const client = (members: string): string => `app.security.clients.shop: {${members}}`;

it.each([
  ['a public client with a secret', `public: true, secret: ${SECRET}`, 'error app.security.clients.shop.public'],
  [
    'an application that cannot authenticate',
    'redirect-uris: "https://a.example/cb"',
    'error app.security.clients.shop.secret',
  ],
  [
    'the audience of this service',
    `secret: ${SECRET}, audience: login-api`,
    'error app.security.clients.shop.audience',
  ],
  [
    'http outside of loopback addresses',
    `secret: ${SECRET}, redirect-uris: "http://a.example/cb"`,
    'breach app.security.clients.shop.redirect-uris',
  ],
])('the rule about applications finds %s', (_, members, problem) => {
  expect(problemsOf(safeClients, client(members))).toEqual([problem]);
});

it('the rule about applications accepts a confidential, a public and a native one', () => {
  const yaml = `app.security.clients:
  web: {secret: ${SECRET}, redirect-uris: "https://a.example/cb"}
  page: {public: true, redirect-uris: "https://b.example/cb"}
  native: {public: true, redirect-uris: ["http://127.0.0.1/cb", "com.example.app:/cb"]}`;

  expect(problemsOf(safeClients, yaml)).toEqual([]);
});

it('applications with a secret are reported while PKCE is not required', () => {
  const yaml = client(`secret: ${SECRET}, redirect-uris: "https://a.example/cb"`);

  expect(problemsOf(codesAreBound, yaml)).toEqual(['warning app.security.oidc.require-pkce']);
  expect(problemsOf(codesAreBound, `${yaml}\napp.security.oidc.require-pkce: true`)).toEqual([]);
});

it('tokens of resource servers that open this service are reported', () => {
  expect(problemsOf(ownAudience, 'app.security.token.accept-resource-api: true')).toHaveLength(1);
  expect(problemsOf(ownAudience, '')).toEqual([]);
});
