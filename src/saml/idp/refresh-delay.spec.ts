import { describe, expect, it } from 'vitest';
import { refreshDelayMillis } from './refresh-delay.js';

const HOUR = { refreshSeconds: 3600 };
const READ = 1_800_000_000_000;

describe('metadata are read again', () => {
  it.each([
    ['by the key', HOUR, 3_600_000],
    ['sooner where cacheDuration is shorter', { ...HOUR, cacheDurationSeconds: 600 }, 600_000],
    ['by the key where cacheDuration is longer', { ...HOUR, cacheDurationSeconds: 86_400 }, 3_600_000],
    ['not more than once a minute', { ...HOUR, cacheDurationSeconds: 0 }, 60_000],
    ['twice before they end', { ...HOUR, readAt: READ, validUntil: READ + 1_000_000 }, 500_000],
    ['once a minute after their end', { ...HOUR, readAt: READ, validUntil: READ - 1 }, 60_000],
  ])('%s', (_, read, millis) => {
    expect(refreshDelayMillis(read, 0, 1)).toBe(millis);
  });

  it.each([
    [1, 5000],
    [2, 10_000],
    [3, 20_000],
    [10, 2_560_000],
    [11, 3_600_000],
    [2000, 3_600_000],
  ])('after %i failures within %i ms', (failures, millis) => {
    expect(refreshDelayMillis(HOUR, failures, 1)).toBe(millis);
  });

  it('up to a quarter sooner, so that replicas do not ask together', () => {
    expect(refreshDelayMillis(HOUR, 0, 0)).toBe(2_700_000);
  });
});
