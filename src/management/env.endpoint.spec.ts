import { expect, it } from 'vitest';
import { ask } from '../../test/support/http/operation-request.js';
import { Configuration } from '../config/configuration.js';
import { KeyRegistry } from '../config/names/key-registry.js';
import { readArguments } from '../config/read/arguments.js';
import { Environment } from '../config/read/environment.js';
import { EnvEndpoint } from './env.endpoint.js';
import { EnvEndpointProperties } from './management.properties.js';

const KEYS = ['server.port', 'server.address', 'SERVER_PORT', 'app.mail.port'];

interface Sources {
  readonly propertySources: readonly { readonly properties: Readonly<Record<string, unknown>> }[];
}

/** The keys that `env?pattern=…` lists of these. */
async function matching(pattern: string, keys = KEYS): Promise<readonly string[]> {
  const { commandLine } = readArguments(keys.map((key) => `--${key}=1`));
  const environment = new Environment([commandLine]);
  const configuration = new Configuration(environment, new KeyRegistry([]), [], new Map());
  const endpoint = new EnvEndpoint(configuration, new EnvEndpointProperties());
  const { body } = await ask(endpoint, 'GET', { query: String(new URLSearchParams({ pattern })) });
  return (body as Sources).propertySources.flatMap(({ properties }) => Object.keys(properties));
}

const REJECTED = { code: 'VALIDATION_FAILED', facts: { errors: [{ field: 'pattern', code: 'format' }] } };

it.each([
  ['port', ['server.port', 'app.mail.port']],
  ['^server\\.', ['server.port', 'server.address']],
  ['PORT$', ['SERVER_PORT']],
  ['', KEYS],
  ['nothing', []],
  ['s.rver', ['server.port', 'server.address']],
])('the pattern %j matches anywhere in a key: %j', async (pattern, expected) => {
  expect(await matching(pattern)).toEqual(expected);
});

it.each(['(', '[', '*', '(?<', 'a{2,1}', '\\'])(
  'the pattern %j is rejected as an invalid expression',
  async (pattern) => {
    await expect(matching(pattern)).rejects.toMatchObject(REJECTED);
  },
);

it('a pattern of more than 200 characters is rejected', async () => {
  expect(await matching('a'.repeat(200))).toEqual([]);
  await expect(matching('a'.repeat(201))).rejects.toMatchObject(REJECTED);
});

it.each(['(a+)+$', '(a|a)*$', '^(a|aa)+$', '(.*)*x', '(\\w+\\.?)+!'])(
  'H6: the pattern %j is stopped in time',
  async (pattern) => {
    await expect(matching(pattern, [`${'a'.repeat(50_000)}-`])).rejects.toMatchObject(REJECTED);
  },
);

it('the pattern constructor matches only the key of that name', async () => {
  expect(await matching('constructor', ['constructor', '__proto__'])).toEqual(['constructor']);
});
