import { describe, expect, it } from 'vitest';
import { currentOf, expiryOfKey, missingKey, type ScheduledKey, statesAt, TERMS } from './signing-keys.js';

const DAY = 86_400;
const NOW = 1_800_000_000;
const MAX_ACCESS_TOKEN_SECONDS = 3600;

const key = (
  generation: number,
  signsFrom: number,
  more: Partial<ScheduledKey & { algorithm: string }> = {},
): ScheduledKey & { algorithm: string } => ({
  kid: `key-${generation}`,
  purpose: 'access',
  generation,
  createdAt: signsFrom,
  signsFrom,
  algorithm: 'ES256',
  ...more,
});
const statesOf = (keys: readonly ScheduledKey[], now = NOW): readonly string[] => [...statesAt(keys, now).values()];

describe('the schedule of signing keys', () => {
  it('makes the newest key that may sign the current one, in any order of reading', () => {
    const keys = [key(3, NOW + 1), key(2, NOW), key(1, NOW - 10 * DAY)];

    expect(currentOf(keys, NOW)?.generation).toBe(2);
    expect(currentOf(keys, NOW + 1)?.generation).toBe(3);
    expect(statesOf(keys)).toEqual(['retired', 'current', 'next']);
  });

  it('J7: keeps a key for the longest lifetime of its tokens plus clock skew', () => {
    const keys = [key(1, NOW - 10 * DAY), key(2, NOW)];

    expect(expiryOfKey(key(1, 0), keys)).toBe(NOW + TERMS.access.overlap);
    expect(TERMS.access.overlap).toBeGreaterThan(MAX_ACCESS_TOKEN_SECONDS);
    expect(TERMS.mfa.overlap).toBeGreaterThan(180);
    expect(statesOf(keys, NOW + TERMS.access.overlap - 1)).toEqual(['retired', 'current']);
    expect(statesOf(keys, NOW + TERMS.access.overlap)).toEqual(['ended', 'current']);
  });

  it('ends a retired key after its retirement, or after the first signature of the next key', () => {
    const retiredAt = NOW - 100;
    const keys = [key(1, NOW - 10 * DAY, { retiredAt }), key(2, NOW)];

    expect(expiryOfKey(key(1, 0, { retiredAt }), keys)).toBe(retiredAt + TERMS.access.overlap);
    expect(expiryOfKey(key(1, 0, { retiredAt: NOW + 100 }), keys)).toBe(NOW + TERMS.access.overlap);
    expect(currentOf([key(1, NOW - 1, { retiredAt })], NOW)).toBeUndefined();
  });

  it('ignores a next key that was retired', () => {
    const keys = [key(1, NOW - 10 * DAY), key(2, NOW - 5, { retiredAt: NOW - 3 })];

    expect(statesOf(keys)).toEqual(['current', 'retired']);
    expect(expiryOfKey(key(1, 0), keys)).toBeUndefined();
  });

  it('publishes keys of access tokens at least one day before they sign', () => {
    expect(TERMS.access.lead).toBeGreaterThanOrEqual(DAY);
  });
});

describe('missingKey', () => {
  const wanted = { algorithm: 'ES256', rotation: 90 * DAY };

  it.each([
    ['the first key', [], 'current'],
    ['another key if all are retired', [key(1, NOW - 5, { retiredAt: NOW })], 'current'],
    ['no key if the only one signs later, as after a clock was set back', [key(1, NOW + 5)], undefined],
    ['no key while a young one signs', [key(1, NOW - 5)], undefined],
    ['no key one second before the next is due', [key(1, NOW - 89 * DAY + 1)], undefined],
    ['the next key one day before it is needed', [key(1, NOW - 89 * DAY)], 'next'],
    ['no key while the next one waits', [key(1, NOW - 200 * DAY), key(2, NOW + 5)], undefined],
    ['a key of the configured algorithm', [key(1, NOW - 5, { algorithm: 'RS256' })], 'next'],
    [
      'no key while one of the configured algorithm waits',
      [key(1, 5, { algorithm: 'RS256' }), key(2, NOW + 5)],
      undefined,
    ],
  ] as const)('returns %s', (_, keys, expected) => {
    expect(missingKey(keys, NOW, wanted)).toBe(expected);
  });

  it('returns no key for age if rotation is left to operators', () => {
    expect(missingKey([key(1, 5)], NOW, { ...wanted, rotation: 0 })).toBeUndefined();
  });
});

it('R11: the first key signs before its time after a clock was set back', () => {
  expect(currentOf([key(2, NOW + 90_000), key(1, NOW + 3600)], NOW)?.generation).toBe(1);
});
