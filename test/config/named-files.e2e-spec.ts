import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManagedService, startManaged } from '../support/management/management.js';
import { runCli } from '../support/programs/service.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

const TIMEOUT = 'mapper.configuration.default-statement-timeout';
const ARGS = ['--logging.config=file:logging.yml', '--mapper.config-location=file:mapper.xml'];
/** Keys that the files replace. */
const REPLACED = ['--logging.level.root=debug', '--logging.level.web=trace'];

function folder(): string {
  const cwd = temporaryFolder('named-files');
  writeFileSync(
    join(cwd, 'logging.yml'),
    'levels:\n  root: warn\n  auth.mfa: info\n  start: info\nappenders.file.max-history: 3\n',
  );
  writeFileSync(
    join(cwd, 'mapper.xml'),
    '<configuration>\n<settings>\n<setting name="defaultStatementTimeout" value="7"/>\n</settings>\n</configuration>',
  );
  return cwd;
}

describe('C1: config get shows the values that are in force', () => {
  const get = async (key: string, ...more: readonly string[]): Promise<string> =>
    (await runCli(['config', 'get', key, ...ARGS, ...REPLACED, ...more], { cwd: folder() })).stdout;

  it.each([
    ['logging.level.root', 'warn', 'file [logging.yml] - 2:9'],
    ['logging.level.auth.mfa', 'info', 'file [logging.yml] - 3:13'],
    ['logging.engine.rollingpolicy.max-history', '3', 'file [logging.yml] - 5:29'],
    [TIMEOUT, '7', 'file [mapper.xml] - 3:1'],
  ])('C1: config get shows %s of the file that decides it, with its line', async (key, value, origin) => {
    expect(await get(key)).toContain(`${key} = ${value}\n  origin      ${origin}`);
  });

  it('C1: config get shows the default of a key that logging.config replaces', async () => {
    expect(await get('logging.pattern.console')).toMatch(/^logging\.pattern\.console = .* {2}\(default\)\n/);
  });

  it('C1: config get shows a key of the operator above mapper.config-location', async () => {
    expect(await get(TIMEOUT, `--${TIMEOUT}=9`)).toMatch(
      / = 9\n[^]* overridden {2}7 {2}\(file \[mapper\.xml\] - 3:1\)\n/,
    );
  });
});

describe('C1: env and configprops show the values that are in force', () => {
  let service: ManagedService;
  beforeAll(async () => {
    const shows = ['env', 'configprops'].map((id) => `--management.endpoint.${id}.show-values=always`);
    service = await startManaged({ cwd: folder(), args: [...ARGS, ...REPLACED, ...shows] });
  });
  afterAll(() => service.stop());

  it.each([
    ['logging.level.root', 'warn', 'file [logging.yml] - 2:9'],
    [TIMEOUT, '7', 'file [mapper.xml] - 3:1'],
  ])('C1: env shows %s of the file that decides it, with its line', async (key, value, origin) => {
    const { body } = await service.operator.get(`/env/${key}`);

    const { property, propertySources } = body as unknown as {
      readonly property: { readonly source: string; readonly value: unknown };
      readonly propertySources: readonly { readonly name: string; readonly property?: unknown }[];
    };
    expect(property.value).toBe(value);
    expect(propertySources.find(({ name }) => name === property.source)?.property).toEqual({ value, origin });
  });

  it('C1: configprops shows the members of the files and nothing that they replace', async () => {
    const { body } = await service.operator.get('/configprops');

    const beans = (body as unknown as { readonly contexts: { readonly 'login-service': { readonly beans: unknown } } })
      .contexts['login-service'].beans;
    expect(beans).toMatchObject({
      'logging-LoggingProperties': {
        properties: { level: { root: 'warn', 'auth.mfa': 'info', start: 'info' } },
        inputs: { level: { root: { value: 'warn', origin: 'file [logging.yml] - 2:9' } } },
      },
      'mapper.configuration-MapperConfigurationProperties': {
        properties: { defaultStatementTimeout: 'PT7S' },
        inputs: { defaultStatementTimeout: { value: '7', origin: 'file [mapper.xml] - 3:1' } },
      },
    });
    expect(JSON.stringify(beans)).not.toContain('"trace"');
  });
});
