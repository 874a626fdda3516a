import { describe, expect, it } from 'vitest';
import { Configuration } from '../../../src/config/configuration.js';
import { Inspection } from '../../../src/config/show/inspection.js';
import { KeyName } from '../../../src/config/names/key-name.js';
import { metadataOf } from '../../../src/config/bind/properties-class.js';
import { type Bean, describeBeans } from '../../../src/management/configprops/beans.js';
import { registry } from '../keys/examples.js';
import { settings } from '../keys/settings.js';
import { reading, type Situation, withoutProblems } from '../keys/situation.js';

const MASK = '******';

function beans(situation: Situation, showsValues = true): Readonly<Record<string, Bean>> {
  const read = withoutProblems(reading(situation));
  const configuration = new Configuration(read.environment, read.registry, read.warnings, read.instances);
  const made = describeBeans(configuration, new Inspection(read.environment, read.registry), showsValues);
  // The JSON form, as a client reads it.
  return JSON.parse(JSON.stringify(made)) as Readonly<Record<string, Bean>>;
}

describe('configprops', () => {
  it('configprops has a bean for every class of keys', () => {
    const names = registry.classes.map((owner) => `${metadataOf(owner).prefix}-${owner.name}`);

    expect(Object.keys(beans({}))).toEqual(names);
    expect(names).toContain('app.datasource.pool-PoolProperties');
  });

  it('configprops shows the bound object: defaults, numbers, durations, sizes, lists, maps and named objects', () => {
    const text = [
      'server.embedded.threads.max: 7',
      'server.shutdown-pre-drain: PT90S',
      'app.servlet.multipart.max-file-size: 2048',
      'management.endpoints.web.exposure.include: health, info',
      'logging.level: { root: warn, "[com.Acme]": debug }',
      'app.ssl.bundle.pem.web.keystore: { certificate: "file:web.crt", private-key: "file:web.key" }',
    ].join('\n');

    const all = beans({ files: { 'application.yml': text } });

    expect(all['server.embedded.threads-ThreadsProperties']?.properties).toMatchObject({ max: 7 });
    expect(all['server-ServerProperties']?.properties).toMatchObject({ shutdownPreDrain: 'PT1M30S', port: 8080 });
    expect(all['app.servlet.multipart-MultipartProperties']?.properties).toMatchObject({ maxFileSize: '2KB' });
    expect(all['management.endpoints.web.exposure-ExposureProperties']?.properties).toEqual({
      include: ['health', 'info'],
      exclude: [],
    });
    expect(all['logging-LoggingProperties']?.properties).toEqual({
      level: { root: 'warn', 'com.Acme': 'debug' },
      group: {},
    });
    expect(all['app.ssl.bundle-SslBundleProperties']?.properties).toMatchObject({
      pem: { web: { keystore: { certificate: 'file:web.crt', privateKey: MASK } } },
      jks: {},
    });
    expect(all['app.json.serialization-JsonSerializationProperties']?.properties).toEqual({
      writeDatesAsTimestamps: false,
    });
  });

  it('C4: configprops shows the default of an empty number with a note', () => {
    const bean = beans({ variables: { SERVER_PORT: '' } })['server-ServerProperties'];

    expect(bean?.properties).toMatchObject({ port: 8080 });
    expect(bean?.inputs).toMatchObject({
      port: {
        value: '8080',
        origin: 'System Environment Property "SERVER_PORT"',
        note: 'empty text means the default',
      },
    });
  });

  it('configprops shows a map in a named object, set or not', () => {
    const group = 'management.endpoint.health.group';
    const text = [`${group}.set.status.http-mapping.DOWN: 299`, `${group}.unset.include: ping`].join('\n');

    const bean = beans({ files: { 'application.yml': text } })['management.endpoint.health-HealthEndpointProperties'];

    expect(bean?.properties).toMatchObject({
      group: { set: { status: { httpMapping: { DOWN: 299 } } }, unset: { status: { httpMapping: {} } } },
    });
    expect(bean?.inputs).toMatchObject({
      group: {
        set: { status: { httpMapping: { DOWN: { value: 299, origin: 'file [application.yml] - 1:64' } } } },
        unset: { status: { httpMapping: {} } },
      },
    });
  });

  it('inputs have the structure of the properties and name the origin of each value that is set', () => {
    const text = 'server:\n  shutdown: immediate\nlogging.level.auth: debug\n';

    const all = beans({ files: { 'application.yml': text }, args: ['--server.shutdown=graceful'] });

    expect(all['server-ServerProperties']?.inputs).toMatchObject({
      shutdown: { value: 'graceful', origin: '"server.shutdown" from property source "commandLineArgs"' },
      port: {},
    });
    expect(all['logging-LoggingProperties']?.inputs).toMatchObject({
      level: { auth: { value: 'debug', origin: 'file [application.yml] - 3:21' } },
    });
  });

  it('inputs state the effect only of keys with little or no effect', () => {
    const { inputs } = beans({ args: ['--server.embedded.threads.min-spare=3'] })[
      'server.embedded.threads-ThreadsProperties'
    ] ?? { inputs: {} };

    expect(inputs).toEqual({
      max: {},
      minSpare: {
        value: '3',
        origin: expect.stringContaining('commandLineArgs') as unknown,
        effect: 'A',
        note: expect.stringContaining('no threads of their own') as unknown,
      },
    });
  });

  it('map keys may be named like object properties', () => {
    const files = { 'application.yml': 'logging.level:\n  __proto__: info\n  constructor: debug\n' };

    const level = beans({ files })['logging-LoggingProperties']?.properties['level'] as object;

    expect(Object.entries(level)).toEqual([
      ['__proto__', 'info'],
      ['constructor', 'debug'],
    ]);
  });

  it('M3: configprops masks every value when values may not be shown', () => {
    const all = beans(
      {
        files: { 'application.yml': 'logging.level.auth: debug\napp.profiles.include: [a]\n', 'application-a.yml': '' },
      },
      false,
    );

    const leaves = Object.values(all).flatMap(({ properties, inputs }) => [
      ...leafValues(properties),
      ...values(inputs),
    ]);
    expect(leaves.length).toBeGreaterThan(100);
    expect(new Set(leaves)).toEqual(new Set([MASK]));
  });

  it.each(settings.filter(({ isOfDocument }) => !isOfDocument))(
    'configprops shows $name, set by an argument, with its origin',
    ({ name, text, isSecret }) => {
      const all = beans({ args: [`--${name}=${text}`], files: { 'application-sample.yml': '' } });

      const origin = `"${name}" from property source "commandLineArgs"`;
      const owner = registry.find(KeyName.parse(name))?.owner;
      const inputs = Object.values(all).flatMap((bean) => leavesOf(bean.inputs));
      expect(owner).toBeDefined();
      expect(inputs.filter((input) => input['origin'] === origin)).toEqual([
        expect.objectContaining({ value: isSecret ? MASK : text, origin }),
      ]);
      expect(isSecret && JSON.stringify(all).includes(text)).toBe(false);
    },
  );
});

type Members = Readonly<Record<string, unknown>>;

/** The leaves of a tree. */
function leafValues(tree: unknown): readonly unknown[] {
  if (typeof tree !== 'object' || tree === null) return [tree];
  return Object.values(tree).flatMap(leafValues);
}

function leavesOf(tree: unknown): readonly Members[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const members = tree as Members;
  return 'origin' in members ? [members] : Object.values(members).flatMap(leavesOf);
}

function values(inputs: unknown): readonly unknown[] {
  return leavesOf(inputs).map(({ value }) => value);
}
