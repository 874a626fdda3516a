import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { place } from '../../../test/config/support.js';
import { Configuration } from '../../config/configuration.js';
import { type Rule, RuleFacts } from '../../config/check/rule.js';
import {
  clientKeysUsable,
  codesAreBound,
  deliverableLogouts,
  distinctClients,
  distinctTokens,
  ownAudience,
  safeClients,
} from './client.rule.js';

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
  [
    'more scopes than a session can store',
    `secret: ${SECRET}, scopes: "openid,${'a'.repeat(200)},${'b'.repeat(200)}"`,
    'error app.security.clients.shop.scopes',
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

it.each([
  ['https://shop.example/logout', []],
  ['http://127.0.0.1:3000/logout', ['warning']],
  ['http://shop.example/logout', ['breach']],
  ['https://10.0.0.7/logout', ['warning']],
  ['http://10.0.0.7/logout', ['breach', 'warning']],
])('the rule about the address for logouts %s finds %j', (uri, severities) => {
  const key = 'app.security.clients.shop.backchannel-logout-uri';
  const found = problemsOf(deliverableLogouts, client(`secret: ${SECRET}, backchannel-logout-uri: "${uri}"`));

  expect(found).toEqual(severities.map((severity) => `${severity} ${key}`));
});

it('an address for logouts on an internal network needs an entry in app.http.client.allowed-addresses', () => {
  const yaml = client(`secret: ${SECRET}, backchannel-logout-uri: "https://10.0.0.7/logout"`);

  expect(problemsOf(deliverableLogouts, `${yaml}\napp.http.client.allowed-addresses: 10.0.0.0/8`)).toEqual([]);
});

it('J5: a client with the id of the tokens that users get here is reported', () => {
  const yaml = `app.security.clients.portal.secret: ${SECRET}`;

  expect(problemsOf(distinctClients, yaml)).toEqual(['error app.security.token.client-id']);
  expect(problemsOf(distinctClients, `${yaml}\napp.security.token.client-id: users`)).toEqual([]);
});

it('a client whose id does not fit into the database is reported', () => {
  const idOf = (length: number): string => `app.security.clients.${'a'.repeat(length)}.secret: ${SECRET}`;

  expect(problemsOf(distinctClients, idOf(65))).toEqual([`error app.security.clients.${'a'.repeat(65)}`]);
  expect(problemsOf(distinctClients, idOf(64))).toEqual([]);
});

it('J5: the type JWT of access tokens is reported if there are applications', () => {
  const type = 'app.security.token.type: JWT';
  const yaml = client(`secret: ${SECRET}, redirect-uris: "https://a.example/cb"`);

  expect(problemsOf(distinctTokens, `${yaml}\n${type}`)).toEqual(['warning app.security.token.type']);
  expect(problemsOf(distinctTokens, type)).toEqual([]);
  expect(problemsOf(distinctTokens, yaml)).toEqual([]);
});

it('J3: a private key of a client is rejected, and the public one is accepted', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pemOf = (pem: string | Buffer): string => client(`keys: ${JSON.stringify(String(pem))}`);

  const key = 'app.security.clients.shop.keys';
  expect(problemsOf(clientKeysUsable, pemOf(privateKey.export({ format: 'pem', type: 'pkcs8' })))).toEqual([
    `error ${key}`,
  ]);
  expect(problemsOf(clientKeysUsable, pemOf(publicKey.export({ format: 'pem', type: 'spki' })))).toEqual([]);
});
