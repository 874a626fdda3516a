import { describe, expect, it } from 'vitest';
import { DataSize } from './data-size.js';
import { Duration } from './duration.js';
import { dataSize, duration, flag, integer, list, oneOf, type ScalarType, text, timeZone } from './key-type.js';
import { ConversionProblem } from '../problem.js';

function read(type: ScalarType<unknown>, value: string): unknown {
  const parsed = type.parse(value);
  return parsed instanceof ConversionProblem ? `rejected: ${parsed.reason}` : parsed;
}

describe('an integer', () => {
  it.each([
    ['5', 5],
    ['+5', 5],
    ['-5', -5],
    [' 5 ', 5],
    ['0', 0],
    ['-0', 0],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('is read from "%s"', (value, expected) => {
    expect(read(integer(), value)).toBe(expected);
  });

  it.each(['', 'abc', '1.10', '1.0', '1e3', '0x10', '12:30', '1_000', '1 000', '٣', 'Infinity', 'NaN', '- 5'])(
    'is not read from "%s"',
    (value) => {
      expect(read(integer(), value)).toBe('rejected: not a whole number');
    },
  );

  it('is rejected with a leading zero, because some parsers read it as octal', () => {
    expect(read(integer(), '0600')).toMatch(/^rejected: a leading zero means octal/);
    expect(read(integer(), '-08')).toMatch(/^rejected: a leading zero means octal/);
  });

  it('is rejected if it cannot be represented exactly', () => {
    expect(read(integer(), '9007199254740993')).toBe('rejected: the number is too large');
  });

  it('is rejected if it is outside its range, and the reason names the range', () => {
    const port = integer({ min: 0, max: 65_535 });

    expect([read(port, '0'), read(port, '65535')]).toEqual([0, 65_535]);
    expect(read(port, '-1')).toBe('rejected: must be at least 0');
    expect(read(port, '65536')).toBe('rejected: must be at most 65535');
    expect(port.expects).toBe('a whole number from 0 to 65535');
    expect(integer({ min: 1 }).expects).toBe('a whole number, at least 1');
    expect(integer({ max: 9 }).expects).toBe('a whole number, at most 9');
  });
});

describe('a boolean', () => {
  it.each(['true', 'on', 'yes', '1', 'TRUE', 'On', ' yes '])('is true for "%s"', (value) => {
    expect(read(flag(), value)).toBe(true);
  });

  it.each(['false', 'off', 'no', '0', 'FALSE', 'Off'])('is false for "%s"', (value) => {
    expect(read(flag(), value)).toBe(false);
  });

  it.each(['', 't', 'f', 'y', 'n', '2', '01', 'enabled', 'null'])('is not read from "%s"', (value) => {
    expect(read(flag(), value)).toBe('rejected: not a boolean');
  });
});

describe('a choice', () => {
  const inclusion = oneOf('always', 'non_null', 'when-authorized');

  it.each([
    ['non_null', 'non_null'],
    ['NON-NULL', 'non_null'],
    ['nonNull', 'non_null'],
    ['when_authorized', 'when-authorized'],
    ['WhenAuthorized', 'when-authorized'],
    [' always ', 'always'],
  ])('is read from "%s" regardless of case and dashes', (value, expected) => {
    expect(read(inclusion, value)).toBe(expected);
  });

  it.each(['', 'alway', 'non null', 'constructor', '__proto__'])('is not read from "%s"', (value) => {
    expect(read(inclusion, value)).toBe('rejected: not one of the allowed values');
  });

  it('lists its words when a value is rejected', () => {
    expect(inclusion.expects).toBe('one of always, non_null, when-authorized');
  });
});

describe('a duration key', () => {
  it('reads a bare number in its unit and documents that', () => {
    const timeout = duration({ unit: 's', min: '0s' });

    expect(read(timeout, '30')).toEqual(Duration.ofSeconds(30));
    expect(read(timeout, ' 30ms ')).toEqual(Duration.ofMillis(30));
    expect(timeout.expects).toContain('a bare number is in s');
  });

  it('is limited to its range', () => {
    const wait = duration({ min: '1ms', max: '1h' });

    expect(read(wait, '0')).toBe('rejected: must be at least 1ms');
    expect(read(wait, '-1s')).toBe('rejected: must be at least 1ms');
    expect(read(wait, '61m')).toBe('rejected: must be at most 1h');
  });

  it('throws at declaration for an invalid limit', () => {
    expect(() => duration({ min: '20 s' })).toThrow(TypeError);
  });
});

describe('a data size key', () => {
  it('rejects negative sizes unless it allows them', () => {
    expect(read(dataSize(), '-1')).toBe('rejected: must be at least 0B');
    expect(read(dataSize({ min: -1 }), '-1')).toEqual(DataSize.ofBytes(-1));
    expect(read(dataSize({ min: -1 }), '-1KB')).toBe('rejected: must be at least -1');
    expect(read(dataSize(), ' 5MB ')).toEqual(DataSize.ofBytes(5 * 1024 * 1024));
    expect(dataSize({ min: -1 }).expects).toContain('or -1 for no limit');
  });
});

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'GMT', '+02:00'])('is read from %s', (value) => {
    expect(read(timeZone(), value)).toBe(value);
  });

  it.each(['', 'Nowhere/City', 'CEST?', 'Europe/ Berlin'])('is not read from "%s"', (value) => {
    expect(read(timeZone(), value)).toBe('rejected: the time zone is unknown');
  });
});

describe('a text', () => {
  it.each(['on', '0600', '12:30', '1.10', ' kept ', 'null', '~', ''])('keeps "%s" as it was written', (value) => {
    expect(read(text(), value)).toBe(value);
  });

  it('is rejected if it lacks the form of its key, and the reason names the form', () => {
    const name = text({ form: /^[a-z]+$/, called: 'a name in small letters' });

    expect(read(name, 'abc')).toBe('abc');
    expect(read(name, 'Abc')).toBe('rejected: not a name in small letters');
    expect(name.expects).toBe('a name in small letters');
  });
});

describe('a list', () => {
  it('takes its name from its elements', () => {
    expect(list(integer()).name).toBe('list of integer');
    expect(list(integer()).addsUp).toBe(false);
  });
});
