import { describe, expect, it } from 'vitest';
import { durationSeconds, instantMillis } from './xml-times.js';

describe('a duration', () => {
  it.each([
    ['PT1H', 3600],
    ['PT0S', 0],
    ['P1D', 86_400],
    ['P1Y2M3DT4H5M6.7S', ((365 + 60 + 3) * 24 + 4) * 3600 + 306],
    ['PT90M', 5400],
  ])('%s is %i seconds', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });

  it.each(['', 'P', 'PT', 'P1H', '-PT1H', '3600', 'PT1.5H', 'P1DT', ' PT1H'])('is not %j', (text) => {
    expect(durationSeconds(text)).toBeUndefined();
  });
});

describe('an instant', () => {
  const NOON = Date.UTC(2026, 10, 21, 12);

  it.each([
    ['2026-11-21T12:00:00Z', NOON],
    ['2026-11-21T12:00:00', NOON],
    ['2026-11-21T13:00:00+01:00', NOON],
    ['2026-11-21T12:00:00.25Z', NOON + 250],
  ])('is %s', (text, millis) => {
    expect(instantMillis(text)).toBe(millis);
  });

  it.each(['', '2026-11-21', 'Sat, 21 Nov 2026 12:00:00 GMT', '2026-13-21T12:00:00Z', '1795262400'])(
    'is not %j',
    (text) => {
      expect(instantMillis(text)).toBeUndefined();
    },
  );
});
