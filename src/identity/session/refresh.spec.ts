import { describe, expect, it } from 'vitest';
import { isUnused, openSuccessor, type RefreshRecord, sealSuccessor, classifyReuse } from './refresh.js';

const NOW = 1_800_000_000;
const record = (more: Partial<RefreshRecord> = {}): RefreshRecord => ({
  hash: 'h',
  sid: 's',
  subject: 'anna',
  generation: 1,
  expiresAt: NOW + 1,
  ...more,
});

describe('a refresh token that could not be rotated', () => {
  it.each([
    ['expired at its expiry, if it was not used', { expiresAt: NOW }, 10, 'expired'],
    ['reused, even long after its expiry', { expiresAt: NOW - 90, rotatedAt: NOW - 100 }, 10, 'reused'],
    ['superseded, even if it was used', { supersededAt: NOW - 1, rotatedAt: NOW }, 10, 'superseded'],
    ['repeated in the last second of the grace', { rotatedAt: NOW - 10 }, 10, 'repeated'],
    ['reused after the grace', { rotatedAt: NOW - 11 }, 10, 'reused'],
    ['repeated if the clock of another replica is ahead', { rotatedAt: NOW + 10 }, 10, 'repeated'],
    ['reused if the clock was set back beyond the grace', { rotatedAt: NOW + 11 }, 10, 'reused'],
    ['reused in the same second without a grace', { rotatedAt: NOW }, 0, 'reused'],
    ['expired if it was not used', {}, 10, 'expired'],
  ] as const)('is %s', (_, facts, grace, expected) => {
    expect(classifyReuse(record(facts), NOW, grace)).toBe(expected);
  });
});

it.each([
  [{}, true],
  [{ expiresAt: NOW }, false],
  [{ rotatedAt: NOW }, false],
  [{ supersededAt: NOW }, false],
])('a successor with %j is unused: %s', (facts, expected) => {
  expect(isUnused(record(facts), NOW)).toBe(expected);
});

describe('a sealed successor', () => {
  const nonce = Buffer.alloc(12, 7);
  const sealed = sealSuccessor('predecessor', 'successor-token', nonce);

  it('opens with its predecessor', () => {
    expect(openSuccessor('predecessor', sealed)).toBe('successor-token');
  });

  it.each(['predecessor2', 'successor-token', ''])('does not open with %j', (token) => {
    expect(openSuccessor(token, sealed)).toBeUndefined();
  });
});
