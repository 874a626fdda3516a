import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { Duration, type DurationUnit } from './duration.js';
import { ConversionProblem } from '../problem.js';

const UNITS = ['ns', 'us', 'ms', 's', 'm', 'h', 'd'] as const satisfies readonly DurationUnit[];

function millis(text: string, unit?: DurationUnit): number | string {
  const parsed = Duration.parse(text, unit);
  return parsed instanceof ConversionProblem ? parsed.reason : parsed.milliseconds;
}

function durationOf(text: string): Duration {
  const parsed = Duration.parse(text);
  if (parsed instanceof ConversionProblem) throw new TypeError(`${text}: ${parsed.reason}`);
  return parsed;
}

describe('a duration', () => {
  it.each([
    ['10ms', 10],
    ['10s', 10_000],
    ['10m', 600_000],
    ['10h', 36_000_000],
    ['10d', 864_000_000],
    ['10S', 10_000],
    ['+10s', 10_000],
    ['-10s', -10_000],
    ['0', 0],
    ['-0s', 0],
    ['007s', 7000],
    ['PT20S', 20_000],
    ['pt20s', 20_000],
    ['PT1H30M', 5_400_000],
    ['P1DT2H3M4S', 93_784_000],
    ['P2D', 172_800_000],
    ['PT1.5S', 1500],
    ['PT0.000001S', 0.001],
    ['-PT20S', -20_000],
    ['PT-20S', -20_000],
    ['-PT-20S', 20_000],
    ['+PT20S', 20_000],
  ])('is read from %s', (text, expected) => {
    expect(millis(text)).toBe(expected);
  });

  it.each([
    ['10ns', '10ns', 0.000_01],
    ['10us', '10us', 0.01],
    ['1500000ns', '1500us', 1.5],
  ])('is read from %s, shorter than a millisecond', (text, shown, expected) => {
    expect(durationOf(text).toString()).toBe(shown);
    expect(millis(text)).toBeCloseTo(expected, 12);
  });

  it('reads a bare number in milliseconds or in the unit of its key', () => {
    expect(millis('20')).toBe(20);
    expect(millis('20', 's')).toBe(20_000);
    expect(millis('20ms', 's')).toBe(20);
  });

  it.each([
    '',
    ' ',
    '20 s',
    ' 20s',
    '1h30m',
    '1.5s',
    '1,5s',
    '12:30',
    's',
    'abc',
    '20x',
    '0x10s',
    '1e3',
    '--5s',
    '- 5s',
  ])('is not read from "%s"', (text) => {
    expect(millis(text)).toMatch(/^not a duration/);
  });

  it.each(['P', 'PT', '-PT', 'P1DT', 'PT5', 'P5', 'PT1H 30M', 'P1W', 'P1Y', 'PT1S2H', 'P1.5D', 'PT 20S'])(
    'is not read from the incomplete ISO form %s',
    (text) => {
      expect(millis(text)).toMatch(/^not a duration/);
    },
  );

  it.each(['99999999999999999999ms', '999999999999d', '-999999999999d', '9'.repeat(400), `PT${'9'.repeat(400)}S`])(
    'is rejected if it is too long: %s',
    (text) => {
      expect(millis(text)).toBe('the duration is too long');
    },
  );

  it.each([
    ['90s', '90s'],
    ['60s', '1m'],
    ['600000', '10m'],
    ['0', '0s'],
    ['1500', '1500ms'],
    ['-30s', '-30s'],
    ['48h', '2d'],
    ['7us', '7us'],
    ['1500ns', '1500ns'],
    ['PT1M30S', '90s'],
  ])('%s is shown as %s', (text, expected) => {
    const parsed = durationOf(text);

    expect(parsed.toString()).toBe(expected);
    expect(JSON.stringify(parsed)).toBe(`"${expected}"`);
  });

  it('is shown in a form that is parsed as the same duration', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.constantFrom(...UNITS), (amount, unit) => {
        const parsed = durationOf(`${amount}${unit}`);
        const again = durationOf(parsed.toString());

        expect(again.toString()).toBe(parsed.toString());
        expect(again.milliseconds).toBeCloseTo(parsed.milliseconds, 9);
      }),
    );
  });

  it.each([
    ['0s', 'PT0S'],
    ['12ms', 'PT0.012S'],
    ['20s', 'PT20S'],
    ['90s', 'PT1M30S'],
    ['1500ms', 'PT1.5S'],
    ['10m', 'PT10M'],
    ['PT1H0.25S', 'PT1H0.25S'],
    ['7d', 'PT168H'],
    ['-90s', 'PT-1M-30S'],
    ['100ns', 'PT0.0000001S'],
  ])('%s is %s in ISO 8601, which is parsed as the same duration', (text, expected) => {
    const parsed = durationOf(text);

    expect(parsed.toIso()).toBe(expected);
    expect(durationOf(expected).milliseconds).toBeCloseTo(parsed.milliseconds, 9);
  });

  it('converts to whole units exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.constantFrom('ms', 's', 'm', 'h'), (n, unit) => {
        const exact = BigInt(n) * { ms: 1n, s: 1000n, m: 60_000n, h: 3_600_000n }[unit];

        expect(millis(`${n}${unit}`)).toBe(Number(exact));
      }),
    );
  });
});
