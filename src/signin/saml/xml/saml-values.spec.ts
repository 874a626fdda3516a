import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { durationSeconds, millisOfDateTime, millisOfInstant } from './saml-values.js';

describe('durationSeconds', () => {
  it.each([
    ['PT1H', 3600],
    ['PT0S', 0],
    ['P1D', 86_400],
    ['P1Y2M3DT4H5M6.7S', ((365 + 60 + 3) * 24 + 4) * 3600 + 306],
    ['PT90M', 5400],
  ])('reads %s as %i seconds', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });

  it.each(['', 'P', 'PT', 'P1H', '-PT1H', '3600', 'PT1.5H', 'P1DT', ' PT1H'])('does not read %j', (text) => {
    expect(durationSeconds(text)).toBeUndefined();
  });
});

describe('millisOfDateTime', () => {
  const NOON = Date.UTC(2026, 10, 21, 12);

  it.each([
    ['2026-11-21T12:00:00Z', NOON],
    ['2026-11-21T12:00:00', NOON],
    ['2026-11-21T13:00:00+01:00', NOON],
    ['2026-11-21T12:00:00.25Z', NOON + 250],
  ])('reads %s', (text, millis) => {
    expect(millisOfDateTime(text)).toBe(millis);
  });

  it.each(['', '2026-11-21', 'Sat, 21 Nov 2026 12:00:00 GMT', '2026-13-21T12:00:00Z', '1795262400'])(
    'does not read %j',
    (text) => {
      expect(millisOfDateTime(text)).toBeUndefined();
    },
  );
});

describe('millisOfInstant', () => {
  it.each([
    ['2026-11-21T09:00:00Z', Date.UTC(2026, 10, 21, 9)],
    ['2026-11-21T09:00:00.1Z', Date.UTC(2026, 10, 21, 9, 0, 0, 100)],
    ['2026-11-21T09:00:00.123Z', Date.UTC(2026, 10, 21, 9, 0, 0, 123)],
    ['2026-11-21T23:59:59.9999999Z', Date.UTC(2026, 10, 21, 23, 59, 59, 999)],
    ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
  ])('reads %s', (text, millis) => {
    expect(millisOfInstant(text)).toBe(millis);
  });

  it.each([
    ['no zone', '2026-11-21T09:00:00'],
    ['another zone', '2026-11-21T09:00:00+01:00'],
    ['UTC as +00:00', '2026-11-21T09:00:00+00:00'],
    ['a date without a time', '2026-11-21'],
    ['a leading space', ' 2026-11-21T09:00:00Z'],
    ['a space in place of T', '2026-11-21 09:00:00Z'],
    ['a lower-case z', '2026-11-21T09:00:00z'],
    ['month 13', '2026-13-01T09:00:00Z'],
    ['29 February of a year without one', '2026-02-29T09:00:00Z'],
    ['31 November', '2026-11-31T09:00:00Z'],
    ['day 0', '2026-11-00T09:00:00Z'],
    ['hour 24', '2026-11-21T24:00:00Z'],
    ['a leap second', '2026-12-31T23:59:60Z'],
    ['a fraction without digits', '2026-11-21T09:00:00.Z'],
    ['a decimal comma', '2026-11-21T09:00:00,5Z'],
    ['a year with five digits', '12026-11-21T09:00:00Z'],
    ['a negative year', '-2026-11-21T09:00:00Z'],
    ['milliseconds', '1795251600000'],
    ['an HTTP date', 'Sat, 21 Nov 2026 09:00:00 GMT'],
    ['an empty text', ''],
  ])('X10: does not read %s', (_, text) => {
    expect(millisOfInstant(text)).toBeUndefined();
  });

  it('reads every instant that toISOString writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1970), max: Date.UTC(9999, 11, 31) }), (millis) => {
        expect(millisOfInstant(new Date(millis).toISOString())).toBe(millis);
      }),
    );
  });
});
