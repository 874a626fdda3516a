import { describe, expect, it } from 'vitest';
import { LoggingProperties } from '../../../src/observability/logging/logging.properties.js';
import { DatasourceProperties } from '../../../src/platform/persistence/datasource.properties.js';
import { CaffeineProperties } from '../../../src/platform/cache/cache.properties.js';
import { MapperConfigurationProperties } from '../../../src/platform/persistence/mapper/mapper.properties.js';
import { ServerProperties } from '../../../src/platform/http/server.properties.js';
import { viewOfAll, viewOfKey } from '../../../src/apps/cli/config/config-view.js';
import { bound, instanceIn, reading, shownOf, type Situation, withoutProblems } from './situation.js';

const packaged = { 'application.yml': 'app.cache.caffeine.spec: maximumSize=1000\nserver.port: 9000\n' };

const EMPTY: readonly (readonly [string, (key: string, variable: string) => Situation])[] = [
  ['an empty text in YAML', (key) => ({ files: { 'application.yml': `${key}: ''` } })],
  ['nothing in YAML', (key) => ({ files: { 'application.yml': `${key}:` } })],
  ['null in YAML', (key) => ({ files: { 'application.yml': `${key}: null` } })],
  ['~ in YAML', (key) => ({ files: { 'application.yml': `${key}: ~` } })],
  ['nothing in .properties', (key) => ({ files: { 'application.properties': `${key}=` } })],
  ['a bare argument', (key) => ({ args: [`--${key}`] })],
  ['an empty argument', (key) => ({ args: [`--${key}=`] })],
  ['an empty -D argument', (key) => ({ args: [`-D${key}=`] })],
  ['an empty variable', (_, variable) => ({ variables: { [variable]: '' } })],
];

describe('empty values', () => {
  it.each(EMPTY)('an empty value by %s overrides the lower source', (_, situation) => {
    const read = reading({ packaged, ...situation('app.cache.caffeine.spec', 'APP_CACHE_CAFFEINE_SPEC') });

    expect(read.problems).toEqual([]);
    expect(read.instances.get(CaffeineProperties)).toEqual({ spec: '' });
    expect(shownOf(read, 'app.cache.caffeine.spec').value).toBe('');
  });

  it.each(EMPTY)('C4: an empty number by %s means the default, not the value of a lower source', (_, situation) => {
    const read = withoutProblems(reading({ packaged, ...situation('server.port', 'SERVER_PORT') }));

    expect(instanceIn(read, ServerProperties).port).toBe(8080);
    expect(shownOf(read, 'server.port').value).toBe('8080  (default)');
  });

  it.each([
    ['boolean', 'server.embedded.accesslog.enabled', 'false  (default)'],
    ['duration', 'server.embedded.connection-timeout', '1m  (default)'],
    ['data size', 'server.max-http-request-header-size', '16KB  (default)'],
    ['choice', 'server.shutdown', 'graceful  (default)'],
    ['choice with its own error reasons', 'server.error.include-message', 'never  (default)'],
    [
      'time that is unset by default',
      'mapper.configuration.default-statement-timeout',
      '(not set)  (default: no limit)',
    ],
    ['level of a logger', 'logging.level.auth', '(not set)'],
  ])('C4: an empty placeholder means the default of a %s', (_, key, byDefault) => {
    const read = withoutProblems(reading({ files: { 'application.yml': `${key}: \${MISSING_PORT:}` } }));

    const { lines } = viewOfKey(read.environment, read.registry, key);

    expect(lines.slice(0, 5)).toEqual([
      `${key} = ${byDefault}`,
      `  origin      file [application.yml] - 1:${key.length + 3}`,
      "  source      Config resource 'file [application.yml]' via location 'optional:file:./'",
      '  written as  ${MISSING_PORT:}',
      '  note        empty text means the default',
    ]);
  });

  it('C4: config get marks an empty value in a list of keys and where it is overridden', () => {
    const read = reading({ packaged, variables: { SERVER_PORT: '' }, args: ['--server.port=1'] });
    const unset = reading({ packaged, variables: { SERVER_PORT: '' } });

    expect(viewOfKey(read.environment, read.registry, 'server.port').lines).toContain(
      '  overridden  (empty text: the default)  (System Environment Property "SERVER_PORT")',
    );
    expect(viewOfAll(unset.environment, unset.registry, { prefix: 'server', changed: true }).lines).toEqual([
      'server.port = 8080  (default)  (empty text at System Environment Property "SERVER_PORT")',
    ]);
  });

  it('C4: NULL without quotes stays the word NULL', () => {
    const files = { 'application.yml': 'mapper.configuration.jdbc-type-for-null: NULL' };

    expect(bound({ files }, MapperConfigurationProperties).jdbcTypeForNull).toBe('NULL');
  });

  it('a number of spaces is rejected as empty', () => {
    const { problems } = reading({ packaged, variables: { SERVER_PORT: ' ' } });

    expect(problems.map(({ facts }) => Object.fromEntries(facts))).toEqual([
      expect.objectContaining({ Property: 'server.port', Reason: 'the value is empty' }),
    ]);
  });

  it('an empty secret without a default is not set, and does not fall through to a lower source', () => {
    const situation = {
      files: { 'application.yml': 'app.datasource.password: ${DB_PASSWORD}' },
      variables: { APP_DATASOURCE_PASSWORD: '', DB_PASSWORD: 'sesame' },
    };

    expect(bound(situation, DatasourceProperties).password).toBeUndefined();
    expect(shownOf(reading(situation), 'app.datasource.password').value).toBe('(not set)');
  });

  it('C4: an empty logger level inherits the level of the parent', () => {
    expect(bound({ files: { 'application.yml': 'logging.level.auth:' } }, LoggingProperties).level.size).toBe(0);
  });

  it('a section without keys is accepted', () => {
    const read = reading({ files: { 'application.yml': 'server:\n  # port: 1\nlogging:\n  level:\napp:\n' } });

    expect(read.problems).toEqual([]);
    expect(bound({ files: { 'application.yml': 'logging.level:' } }, LoggingProperties).level.size).toBe(0);
  });
});
