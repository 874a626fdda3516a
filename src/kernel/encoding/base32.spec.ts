import { expect, it } from 'vitest';
import { base32, bytesOfBase32 } from './base32.js';

it('Base32 encodes 20 bytes as 32 characters', () => {
  expect(base32(Buffer.alloc(20, 255))).toBe('7'.repeat(32));
});

it.each([
  ['a digit outside of the alphabet', 'MZXW6YT1'],
  ['a letter of another script', 'MZXW6YTſ'],
  ['a length that no bytes have', 'MZX'],
  ['a character too many', 'MZXW6YTBO'],
  ['bits that no bytes fill', 'MZ'],
  ['padding inside', 'MZ==XW6Y'],
  ['a blank', 'MZXW 6YTB'],
])('Base32 does not decode %s', (_, text) => {
  expect(bytesOfBase32(text)).toBeUndefined();
});
