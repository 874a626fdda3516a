import { describe, expect, it } from 'vitest';
import { DataSize } from '../../../src/config/bind/data-size.js';
import { Duration } from '../../../src/config/bind/duration.js';
import { LoggingProperties } from '../../../src/observability/logging/logging.properties.js';
import { TraceSamplingProperties } from '../../../src/management/tracing.properties.js';
import { DatasourceProperties, PoolProperties } from '../../../src/platform/persistence/datasource.properties.js';
import { MapperConfigurationProperties } from '../../../src/platform/persistence/mapper/mapper.properties.js';
import { AccesslogProperties, EmbeddedProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { EncodingProperties, JsonProperties } from '../../../src/platform/http/json/json.properties.js';
import { MultipartProperties } from '../../../src/platform/http/upload/multipart.properties.js';
import { type Example, examples, readKey } from './examples.js';
import { bound, reading, type Situation } from './situation.js';

/** The same value in every kind of source. */
function everywhere(key: string, text: string): readonly (readonly [string, Situation])[] {
  const variable = key.replaceAll('.', '_').replaceAll('-', '').toUpperCase();
  return [
    ['YAML', { files: { 'application.yml': `${key}: ${text}` } }],
    ['YAML with quotes', { files: { 'application.yml': `${key}: "${text}"` } }],
    ['.properties', { files: { 'application.properties': `${key}=${text}` } }],
    ['a variable', { variables: { [variable]: text } }],
    ['an argument', { args: [`--${key}=${text}`] }],
    ['a -D argument', { args: [`-D${key}=${text}`] }],
  ];
}

function reasonsOf(situation: Situation): readonly (string | undefined)[] {
  return reading(situation).problems.map(({ facts }) => Object.fromEntries(facts)['Reason']);
}

/** Texts that YAML may convert. Keys of type text keep them; every other key must read or reject them without a crash. */
const TRAPS = ['on', '0600', '12:30', '1.10', '20 s', '1h30m', '-5', 'PT20S', '50mb', '1.5GB', '1e3', 'null', '٣'];

describe('numbers', () => {
  const key = 'management.tracing.sampling.probability';

  it.each(everywhere(key, '0.25'))('a number has the same value in %s', (_, situation) => {
    expect(bound(situation, TraceSamplingProperties).probability).toBe(0.25);
  });

  it.each(['-0.1', '1.01', '10%', '1e-1', '0,5', 'half', '.5'])('a share is not read from %s', (text) => {
    expect(reasonsOf({ args: [`--${key}=${text}`] })).toEqual(['not a number from 0.0 to 1.0']);
  });
});

describe('durations', () => {
  it.each(everywhere('server.embedded.connection-timeout', '20s'))(
    'a duration has the same value in %s',
    (_, situation) => {
      expect(bound(situation, EmbeddedProperties).connectionTimeout).toEqual(Duration.ofSeconds(20));
    },
  );

  it.each([
    ['250', 250],
    ['250ms', 250],
    ['PT20S', 20_000],
    ['2m', 120_000],
    ['+5s', 5000],
  ])('a duration is read from %s in a file', (text, milliseconds) => {
    const situation = { files: { 'application.yml': `server.embedded.connection-timeout: ${text}` } };

    expect(bound(situation, EmbeddedProperties).connectionTimeout.milliseconds).toBe(milliseconds);
  });

  it.each(['20 s', '1h30m', '1.5s', '12:30', 'soon', 'PT'])('a duration is not read from %s', (text) => {
    const situation = { files: { 'application.yml': `server.embedded.connection-timeout: ${text}` } };

    expect(reasonsOf(situation)).toEqual([expect.stringMatching(/^not a duration/)]);
  });

  it('a negative duration is rejected', () => {
    expect(reasonsOf({ args: ['--server.embedded.connection-timeout=-5s'] })).toEqual(['must be at least 1ms']);
  });

  it('a duration without a unit uses the unit of its key', () => {
    const seconds = { args: ['--mapper.configuration.default-statement-timeout=30'] };

    expect(bound(seconds, MapperConfigurationProperties).defaultStatementTimeout).toEqual(Duration.ofSeconds(30));
    expect(
      bound({ args: ['--mapper.configuration.default-statement-timeout=500ms'] }, MapperConfigurationProperties)
        .defaultStatementTimeout,
    ).toEqual(Duration.ofMillis(500));
  });

  it('a duration of the pool is a number of milliseconds or has a unit', () => {
    expect(bound({ args: ['--app.datasource.pool.max-lifetime=1800000'] }, PoolProperties).maxLifetime).toEqual(
      Duration.ofSeconds(1800),
    );
    expect(bound({ args: ['--app.datasource.pool.max-lifetime=30m'] }, PoolProperties).maxLifetime).toEqual(
      Duration.ofSeconds(1800),
    );
  });
});

describe('data sizes', () => {
  it.each(everywhere('server.embedded.max-http-form-post-size', '3MB'))(
    'a data size has the same value in %s',
    (_, situation) => {
      expect(bound(situation, EmbeddedProperties).maxHttpFormPostSize).toEqual(DataSize.ofBytes(3 * 1024 * 1024));
    },
  );

  it.each([
    ['2048', 2048],
    ['2048B', 2048],
    ['2KB', 2048],
    ['1GB', 1_073_741_824],
    ['-1', -1],
  ])('a data size is read from %s in a file', (text, bytes) => {
    const situation = { files: { 'application.yml': `server.embedded.max-http-form-post-size: ${text}` } };

    expect(bound(situation, EmbeddedProperties).maxHttpFormPostSize.bytes).toBe(bytes);
  });

  it.each([
    ['50mb', /capitals/],
    ['50 MB', /^not a data size/],
    ['1.5MB', /^not a data size/],
    ['1e6', /^not a data size/],
    ['99999999TB', /too large/],
  ])('a data size is not read from %s', (text, reason) => {
    const situation = { files: { 'application.yml': `server.embedded.max-http-form-post-size: ${text}` } };

    expect(reasonsOf(situation)).toEqual([expect.stringMatching(reason)]);
  });

  it('a data size has its default', () => {
    expect(bound({}, MultipartProperties).maxFileSize).toEqual(DataSize.ofBytes(1024 * 1024));
  });
});

describe('booleans', () => {
  it.each(everywhere('server.embedded.accesslog.enabled', 'on'))('"on" in %s means true', (_, situation) => {
    expect(bound(situation, AccesslogProperties).enabled).toBe(true);
  });

  it.each(['off', 'no', '0', 'FALSE', 'No'])('%s in YAML means false', (text) => {
    const situation = { files: { 'application.yml': `management.health.db.enabled: ${text}` } };
    const key = examples.find(({ name }) => name === 'management.health.db.enabled');

    expect(key?.boundIn(reading(situation))).toBe(false);
  });

  it.each(['y', 'n', 'T', '2', 'enabled'])('a boolean is not read from %s', (text) => {
    expect(reasonsOf({ files: { 'application.yml': `server.embedded.accesslog.enabled: ${text}` } })).toEqual([
      'not a boolean',
    ]);
  });
});

describe('choices', () => {
  it.each(['non_null', 'non-null', 'nonNull', 'NON_NULL', 'nonnull'])('a choice is read from %s', (text) => {
    const situation = { files: { 'application.yml': `app.json.default-property-inclusion: ${text}` } };

    expect(bound(situation, JsonProperties).defaultPropertyInclusion).toBe('non_null');
  });

  it('a choice keeps a word that YAML 1.1 reads as a boolean', () => {
    expect(
      bound({ files: { 'application.yml': 'logging.level.auth: off' } }, LoggingProperties).level.get('auth'),
    ).toBe('off');
  });

  it('the error for an unknown choice names the known ones', () => {
    const { problems } = reading({ args: ['--server.shutdown=later'] });

    expect(problems.map(({ action }) => action)).toEqual(['Set server.shutdown to one of graceful, immediate.']);
  });
});

describe('date patterns', () => {
  it.each([
    ['yyyy-MM-dd kk:mm', 'the pattern letter k is not supported; use one of y M d H h m s S a E Z X VV'],
    ['yyyy-MM-ddd', 'the pattern letter d is repeated 3 times; at most 2 are supported'],
    ["yyyy 'at", "a quoted text has no closing quote; write '' for a quote"],
  ])('an invalid date pattern is rejected: %s', (pattern, reason) => {
    const { problems } = reading({ args: [`--app.json.date-format=${pattern}`] });

    expect(reasonsOf({ args: [`--app.json.date-format=${pattern}`] })).toEqual([reason]);
    expect(problems.map(({ action }) => action)).toEqual([
      'Set app.json.date-format to a date pattern of the letters y M d H h m s S a E Z X VV as Java reads them, with ' +
        "other letters between ' and '.",
    ]);
  });
});

describe('character sets', () => {
  it.each([
    ['klingon', 'the character set is unknown'],
    ['UTF-16', 'the character set does not extend ASCII'],
    ['UTF 8', 'not the name of a character set such as UTF-8'],
  ])('an unsupported character set is rejected: %s', (name, reason) => {
    expect(reasonsOf({ args: [`--server.servlet.encoding.charset=${name}`] })).toEqual([reason]);
  });

  it('a character set keeps its given name', () => {
    const situation = { args: ['--server.servlet.encoding.charset=Shift_JIS'] };

    expect(bound(situation, EncodingProperties).charset).toBe('Shift_JIS');
  });
});

describe('texts', () => {
  it.each(['on', 'yes', '0600', '12:30', '1.10', '1_000', '0x1F', '1e3', '.5', '007', 'TRUE', '2026-01-31', '+1'])(
    'a text keeps %s as it is written in YAML',
    (text) => {
      const situation = { files: { 'application.yml': `app.datasource.password: ${text}` } };

      expect(bound(situation, DatasourceProperties).password).toBe(text);
    },
  );

  it('a text keeps spaces inside quotes', () => {
    const situation = { files: { 'application.yml': "app.datasource.password: ' a b '" } };

    expect(bound(situation, DatasourceProperties).password).toBe(' a b ');
  });
});

describe('integers', () => {
  it.each(['0600', '010'])('an integer with a leading zero is rejected: %s', (text) => {
    expect(reasonsOf({ files: { 'application.yml': `server.port: ${text}` } })).toEqual([
      expect.stringMatching(/^a leading zero/),
    ]);
  });

  it.each(['12:30', '1.10', '0x1F', '1e3', '8_080'])('an integer is not read from %s', (text) => {
    expect(reasonsOf({ files: { 'application.yml': `server.port: ${text}` } })).toEqual(['not a whole number']);
  });

  it('an integer that is too large is rejected', () => {
    expect(reasonsOf({ args: ['--server.embedded.max-connections=99999999999999999999'] })).toEqual([
      'the number is too large',
    ]);
  });
});

describe('addresses', () => {
  const keys = examples.filter(({ name }) => /\.(?:address|host)$/.test(name));

  it('C4: the test covers the keys that take an address', () => {
    expect(keys.map(({ name }) => name)).toEqual([
      'server.address',
      'management.server.address',
      'app.mail.host',
      'app.data.kvstore.host',
    ]);
  });

  it.each(keys)('C4: $name takes an IPv6 address with or without brackets', (key) => {
    for (const text of ['[2001:db8::1]', '2001:db8::1']) {
      const situation = { args: [`--${key.name}=${text}`, '--management.server.port=9'] };

      expect(key.boundIn(reading(situation))).toBe('2001:db8::1');
    }
  });
});

describe('ambiguous YAML values for every key', () => {
  const values = examples.filter(
    ({ isFromProcessOnly, name }) => !isFromProcessOnly && !/^app\.(config|profiles)/.test(name),
  );

  it.each(values)('$name treats ambiguous YAML values in a file and as an argument alike', (key: Example) => {
    for (const trap of TRAPS) {
      const inFile = readKey(key, { files: { 'application.yml': `${key.name}: ${trap}` } });
      const asArgument = readKey(key, { args: [`--${key.name}=${trap === 'null' ? '' : trap}`] });

      expect(
        inFile.problems.map(({ what }) => what),
        trap,
      ).toEqual(asArgument.problems.map(({ what }) => what));
      expect(key.boundIn(inFile), trap).toEqual(key.boundIn(asArgument));
    }
  });
});
