import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { viewOfKey } from '../../src/apps/cli/config/config-view.js';
import type { ConfigurationReading } from '../../src/config/configuration.js';
import { KeyName, variableForms } from '../../src/config/names/key-name.js';
import { KeyRegistry } from '../../src/config/names/key-registry.js';
import { ConversionProblem } from '../../src/config/problem.js';
import { baseName } from '../../src/config/bind/key-state.js';
import { UserProperties } from '../../src/config/config.properties.js';
import { type Example, examples, expectedOf, readKey, registry, sampleOf, SEAL_KEY } from './keys/examples.js';
import { reading, shownOf, type Situation, withoutProblems } from './keys/situation.js';
import { keysOfSpecification } from './keys/specification.js';

const MASK = '******';

describe('the key tables of the specification', () => {
  const keys = keysOfSpecification(readFileSync(new URL('specification-tables.md', import.meta.url), 'utf8'));

  it('the test reads all 90 keys of the tables', () => {
    expect(keys.size).toBe(90);
    expect([...keys.keys()]).toEqual(
      expect.arrayContaining([
        'app.profiles.active',
        'app.config.additional-location',
        'app.data.kvstore.timeout',
        'logging.level.<app_package>',
        'http.proxyHost',
        'user.timezone',
      ]),
    );
  });

  it.each([...keys])('the key %s of the specification is registered', (_, example) => {
    expect(registry.find(KeyName.parse(example))).toBeDefined();
  });

  it('the comparison finds keys that are not registered', () => {
    const poor = new KeyRegistry([UserProperties]);

    const missing = [...keys.values()].filter((example) => !poor.find(KeyName.parse(example)));

    expect(missing).toHaveLength(keys.size - 1);
  });
});

/** Plain keys whose default is a value of the class, not a description. */
const defaults = registry.definitions.flatMap(({ name, type, defaultText, facts }) =>
  type.shape === 'scalar' && defaultText !== undefined && facts.defaultText === undefined
    ? [{ name, type, defaultText }]
    : [],
);

describe('the key registry', () => {
  it.each(['http.proxyHost', 'http.proxyPort', 'http.nonProxyHosts', 'https.proxyHost', 'https.proxyPort'])(
    'knows the proxy key %s',
    (name) => {
      expect(registry.find(KeyName.parse(name))?.name).toBe(name);
    },
  );

  it('no two keys share the name of an environment variable', () => {
    const owners = new Map<string, string[]>();
    for (const { name } of examples) {
      for (const form of new Set(variableForms(name))) owners.set(form, [...(owners.get(form) ?? []), name]);
    }

    expect([...owners].filter(([, names]) => names.length > 1)).toEqual([]);
  });

  it('every form of a variable is read as its own key, also where a map could contain it', () => {
    const misread = examples.flatMap(({ name }) =>
      variableForms(name)
        .map((form) => [form, registry.keyOfVariable(form)?.uniform, KeyName.parse(name).uniform] as const)
        .filter(([, read, own]) => read !== own),
    );

    expect(misread).toEqual([]);
  });

  it('no key lies below a map, where it would also be an entry', () => {
    const maps = registry.definitions.filter(({ type }) => type.shape === 'map' || type.shape === 'objects');
    const below = maps.flatMap((map) =>
      registry.definitions
        .filter(({ name }) => !name.startsWith(map.name))
        .filter(({ key }) => `${key.uniform}.`.startsWith(`${KeyName.parse(baseName(map)).uniform}.`)),
    );

    expect(maps.length).toBeGreaterThan(3);
    expect(below.map(({ name }) => name)).toEqual([]);
  });

  it('rejects a class that is registered twice', () => {
    expect(() => new KeyRegistry([UserProperties, UserProperties])).toThrow('user.timezone is registered twice');
  });

  it.each(registry.definitions)('describes the purpose, the effect and the version of $name', ({ facts, since }) => {
    const note = 'AU'.includes(facts.effect.level) ? facts.effect.note : 'not needed';

    expect(facts.does).toMatch(/^[A-Z].{10,}\.$/);
    expect(note).toMatch(/\w{3}/);
    expect(since).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each(defaults)(
    'the default $defaultText of $name is a value that the key itself accepts',
    ({ type, defaultText }) => {
      const parsed = type.parse(defaultText);

      expect(parsed).not.toBeInstanceOf(ConversionProblem);
      expect(type.format(parsed)).toBe(defaultText);
    },
  );
});

/** Conditions of a document have a meaning only in that document. */
const ofDocuments = new Set(['app.config.activate.on-profile', 'app.config.activate.on-cloud-platform']);
const settable = examples.filter(({ name }) => !ofDocuments.has(name));
const inFiles = settable.filter(({ isFromProcessOnly }) => !isFromProcessOnly);

/** The first line of `config get` for an unset key with the given bound value. */
function unsetLine({ name, type }: Example, value: unknown): string {
  if (value === undefined)
    return name.includes('.web.') || name.includes('.sample') ? `${name} is not set` : `${name} = (not set)`;
  const texts =
    type.shape === 'list'
      ? (value as readonly unknown[]).map((item) => type.element.format(item))
      : [type.format(value)];
  return `${name} = ${texts.join(',')}  (default)`;
}

describe('registered keys', () => {
  const unset = reading({});

  it.each(examples)('C7: the unset key $name is shown with its effective value or as not set', (key) => {
    const { lines, isFound } = viewOfKey(unset.environment, unset.registry, key.name);

    expect(isFound).toBe(true);
    expect(lines[0]?.replace(/ {2}\(default: .+\)$/, '')).toBe(unsetLine(key, key.boundIn(unset)));
  });

  it.each(settable)('$name is bound from the environment and shown with the variable', (key) => {
    const text = sampleOf(key);
    const variable = canonicalVariable(key.name);

    const read = readWith(key, { variables: { [variable]: text } });

    expect(key.boundIn(read)).toEqual(expectedOf(key, text));
    expect(shownOf(read, key.name)).toEqual({
      value: key.isSecret ? MASK : text,
      origin: `System Environment Property "${variable}"`,
    });
  });

  it.each(settable)('$name is bound from every other form of its variable', (key) => {
    const text = sampleOf(key);

    for (const variable of otherVariables(key.name)) {
      const read = readWith(key, { variables: { [variable]: text } });

      expect(key.boundIn(read), variable).toEqual(expectedOf(key, text));
      expect(shownOf(read, key.name).origin).toBe(`System Environment Property "${variable}"`);
    }
  });

  it.each(settable)('$name is bound from the command line and shown with the argument', (key) => {
    const text = sampleOf(key);

    const read = readWith(key, { args: [`--${key.name}=${text}`] });

    expect(key.boundIn(read)).toEqual(expectedOf(key, text));
    expect(shownOf(read, key.name)).toEqual({
      value: key.isSecret ? MASK : text,
      origin: `"${key.name}" from property source "commandLineArgs"`,
    });
  });

  it.each(settable)('$name is bound from a -D argument and shown with it', (key) => {
    const text = sampleOf(key);

    const read = readWith(key, { args: [`-D${key.name}=${text}`] });

    expect(key.boundIn(read)).toEqual(expectedOf(key, text));
    expect(shownOf(read, key.name)).toEqual({
      value: key.isSecret ? MASK : text,
      origin: `"${key.name}" from property source "systemProperties"`,
    });
  });

  it.each(inFiles)('$name is bound from a file and shown with line and column', (key) => {
    const text = sampleOf(key);

    const read = readWith(key, { files: { 'config/application.yml': `# one line\n${key.name}: '${text}'\n` } });

    expect(key.boundIn(read)).toEqual(expectedOf(key, text));
    expect(shownOf(read, key.name)).toEqual({
      value: key.isSecret ? MASK : text,
      origin: `file [config/application.yml] - 2:${key.name.length + 3}`,
    });
  });

  it.each(settable.filter(({ isFromProcessOnly }) => isFromProcessOnly))('$name is rejected in a file', (key) => {
    const { problems } = readKey(key, { files: { 'application.yml': `${key.name}: '${sampleOf(key)}'\n` } });

    expect(problems.map(({ what }) => what)).toEqual([`The key ${key.name} is not allowed here`]);
  });

  it.each([
    ['app.config.activate.on-profile', 'sample', ['--app.profiles.active=sample'], {}],
    [
      'app.config.activate.on-cloud-platform',
      'kubernetes',
      [],
      { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' },
    ],
  ])('%s is bound from the document that contains it', (name, text, args, variables) => {
    const key = examples.find((item) => item.name === name);
    const file = `server.port: 1\n---\n${name}: ${text}\nserver.port: 2\n`;

    const read = withoutProblems(reading({ files: { 'application.yml': file }, args, variables }));

    expect(key?.boundIn(read)).toEqual([text]);
    expect(shownOf(read, name)).toEqual({ value: text, origin: `file [application.yml] - 3:${name.length + 3}` });
    expect(shownOf(read, 'server.port').value).toBe('2');
  });
});

/** Reads without problems and without warnings about an unknown key; adds the keys that the key depends on. */
function readWith(key: Example, situation: Situation): ConfigurationReading {
  // A profile exists when a file is named after it.
  const profiles = { 'application-sample.yml': '', ...situation.files };
  const args = [...(situation.args ?? []), ...(NEEDS[key.name] ?? [])];
  const read = withoutProblems(readKey(key, { ...situation, files: profiles, args }));
  expect(read.warnings.filter((warning) => warning.includes('no key'))).toEqual([]);
  return read;
}

const NEEDS: Readonly<Record<string, readonly string[]>> = {
  'app.boot.admin.client.username': ['--app.boot.admin.client.password=sample'],
  'app.boot.admin.client.password': ['--app.boot.admin.client.username=sample'],
  'app.security.mfa.backup-code.active-pepper-id': [
    '--app.security.mfa.backup-code.peppers.sample=a pepper of thirty-two characters or more',
  ],
  'app.security.seal.active': [`--app.security.seal.keys.sample=${SEAL_KEY}`],
  'management.security.user': ['--management.security.password=sample'],
  'management.security.password': ['--management.security.user=sample'],
  'management.security.monitoring.user': ['--management.security.monitoring.password=sample'],
  'management.security.monitoring.password': ['--management.security.monitoring.user=sample'],
  'app.ssl.bundle.pem.web.keystore.private-key': ['--app.ssl.bundle.pem.web.keystore.certificate=file:web.crt'],
};

function canonicalVariable(name: string): string {
  return name.replaceAll('.', '_').replaceAll('-', '').toUpperCase();
}

function otherVariables(name: string): readonly string[] {
  const dropped = name.replaceAll('.', '_').replaceAll('-', '');
  const legacy = name.replaceAll('.', '_').replaceAll('-', '_');
  return [...new Set([dropped, legacy, legacy.toUpperCase(), legacy.toLowerCase(), name])].filter(
    (form) => form !== canonicalVariable(name),
  );
}
