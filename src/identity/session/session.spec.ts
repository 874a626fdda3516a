import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expiryOfSession, hashSecret, isSecretForm, isWorthTouching, type Session } from './session.js';

const used = (lastUsedAt: number): Session => ({ lastUsedAt }) as Session;

describe('the expiry of a session', () => {
  it.each([
    [1000, 1000, 1600],
    [1000, 4000, 4600],
    [1000, 7300, 7900],
    [1000, 7900, 8200],
    [1000, 8200, 8200],
  ])('the expiry of a session opened at %i and used at %i is %i', (createdAt, now, end) => {
    expect(expiryOfSession({ createdAt }, now, { idle: 600, absolute: 7200 })).toBe(end);
  });

  it('is not later than the end that an identity provider sets', () => {
    expect(expiryOfSession({ createdAt: 1000, endsAt: 1500 }, 1000, { idle: 600, absolute: 7200 })).toBe(1500);
  });
});

describe('a use of a session', () => {
  it.each([
    [1800, 59, false],
    [1800, 60, true],
    [30, 2, false],
    [30, 3, true],
    [1, 0, true],
  ])('a use with an idle time of %i s is written after %i s: %s', (idle, seconds, expected) => {
    expect(isWorthTouching(used(0), seconds, { idle, absolute: 9999 })).toBe(expected);
  });
});

it('S3: a secret is stored as its SHA-256', () => {
  expect(hashSecret('abc')).toBe(createHash('sha256').update('abc').digest('base64url'));
  expect(hashSecret('abc')).toHaveLength(43);
});

it.each([
  ['A'.repeat(43), true],
  ['A'.repeat(42), false],
  ['A'.repeat(44), false],
  [`${'A'.repeat(42)}=`, false],
  [`${'A'.repeat(43)}\n`, false],
  ['', false],
])('%j has the form of a secret: %s', (text, expected) => {
  expect(isSecretForm(text)).toBe(expected);
});
