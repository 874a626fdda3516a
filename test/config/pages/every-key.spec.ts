import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { Configuration } from '../../../src/config/configuration.js';
import { EnvEndpointProperties } from '../../../src/management/management.properties.js';
import { EnvEndpoint } from '../../../src/management/env.endpoint.js';
import { type Setting, settings } from '../keys/settings.js';
import { reading, type Situation, withoutProblems } from '../keys/situation.js';

const MASK = '******';
const ARGUMENTS = 'commandLineArgs';
const VARIABLES = 'systemEnvironment';
const FILE = "Config resource 'file [config/application.yml]' via location 'optional:file:./config/'";
const PACKAGED = "Config resource 'class path resource [application.yml]' via location 'optional:classpath:/'";

/** One way to set a key. */
interface Way {
  readonly name: string;
  readonly source: string;
  readonly isFile: boolean;
  set(setting: Setting): Situation;
  origin(setting: Setting): string;
}

const WAYS: readonly Way[] = [
  {
    name: 'by argument',
    source: ARGUMENTS,
    isFile: false,
    set: ({ name, text }) => ({ args: [`--${name}=${text}`] }),
    origin: ({ name }) => `"${name}" from property source "commandLineArgs"`,
  },
  {
    name: 'by variable',
    source: VARIABLES,
    isFile: false,
    set: ({ variable, text }) => ({ variables: { [variable]: text } }),
    origin: ({ variable }) => `System Environment Property "${variable}"`,
  },
  {
    name: 'by file',
    source: FILE,
    isFile: true,
    set: ({ name, text }) => ({ files: { 'config/application.yml': `# one line\n${name}: '${text}'\n` } }),
    origin: ({ name }) => `file [config/application.yml] - 2:${name.length + 3}`,
  },
  {
    name: 'in the package',
    source: PACKAGED,
    isFile: true,
    set: ({ name, text }) => ({ packaged: { 'application.yml': `${name}: '${text}'\n` } }),
    origin: ({ name }) => `class path resource [application.yml] - 1:${name.length + 3}`,
  },
];

interface Page {
  readonly property: { readonly source: string; readonly value: unknown };
  readonly propertySources: readonly { readonly name: string; readonly property?: unknown }[];
}

/** `GET env/<name>` of a configuration in which the key is set in these ways; values may be shown. */
async function pageOf(setting: Setting, ways: readonly Way[], name: string): Promise<Page> {
  // A profile exists when a file is named after it.
  const files = { 'application-sample.yml': '' };
  const situation = ways.reduce<Situation>((all, way) => ({ ...all, ...way.set(setting) }), {});
  const read = withoutProblems(reading({ ...situation, files: { ...files, ...situation.files } }));
  const configuration = new Configuration(read.environment, read.registry, read.warnings, read.instances);
  const keys = Object.assign(new EnvEndpointProperties(), { showValues: 'always' });
  const [, one] = new EnvEndpoint(configuration, keys).operations;
  const result = await one?.run({
    selector: name,
    query: new URLSearchParams(),
    wantsBody: true,
    body: {},
    operator: undefined,
    mediaType: '',
    url: '',
    headers: {},
  });
  return result?.body as Page;
}

function waysOf({ isFromProcessOnly }: Setting): readonly Way[] {
  return WAYS.filter(({ isFile }) => !isFile || !isFromProcessOnly);
}

/** Conditions of documents have no meaning alone; the e2e test of `env` covers one. */
const settable = settings.filter(({ isOfDocument }) => !isOfDocument);
const cases = settable.flatMap((setting) =>
  waysOf(setting).map((way) => ({ setting, way, key: setting.name, how: way.name })),
);

describe('env/{key} for every key of the specification', () => {
  it('the test covers all 90 keys', () => {
    expect(settings).toHaveLength(90);
    expect(cases.length).toBeGreaterThan(340);
  });

  it.each(cases.filter(({ setting }) => !setting.isSecret))(
    'env shows the value and the source of $key set $how',
    async ({ setting, way }) => {
      const { property, propertySources } = await pageOf(setting, [way], setting.variable);

      expect(property).toEqual({ source: way.source, value: setting.text });
      expect(propertySources.filter((source) => source.property)).toEqual([
        { name: way.source, property: { value: setting.text, origin: way.origin(setting) } },
      ]);
    },
  );

  it.each(cases.filter(({ setting }) => setting.isSecret))(
    'M3, L1: env shows the source but not the value of the secret $key set $how',
    async ({ setting, way }) => {
      const page = await pageOf(setting, [way], setting.name);

      expect(page.property).toEqual({ source: way.source, value: MASK });
      expect(page.propertySources).toContainEqual({
        name: way.source,
        property: { value: MASK, origin: way.origin(setting) },
      });
      expect(JSON.stringify(page)).not.toContain(setting.text);
    },
  );

  it.each(settable)('env names every source that sets $name, the effective one first', async (setting) => {
    const ways = waysOf(setting);

    const { property, propertySources } = await pageOf(setting, ways, setting.name);

    const value = setting.isSecret ? MASK : setting.text;
    expect(property).toEqual({ source: ARGUMENTS, value });
    expect(propertySources.filter((source) => source.property)).toEqual(
      ways.map((way) => ({ name: way.source, property: { value, origin: way.origin(setting) } })),
    );
    expect(propertySources.map(({ name }) => name)).toEqual(
      expect.arrayContaining([ARGUMENTS, 'systemProperties', VARIABLES]),
    );
  });
});
