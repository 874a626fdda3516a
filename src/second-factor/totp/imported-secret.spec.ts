import { expect, it } from 'vitest';
import { base32 } from '../../encoding/base32.js';
import { importedSecret } from './imported-secret.js';
import { otpauthUri } from './otpauth-uri.js';

const KEY = Buffer.from('12345678901234567890');
const SECRET = base32(KEY);

it('H10: accepts the URI that this service creates', () => {
  expect(importedSecret(otpauthUri('Login', 'ann', SECRET))).toEqual(KEY);
});

it('H10: accepts a URI without the parameters that have their default values', () => {
  expect(importedSecret(`otpauth://totp/Portal:ann?secret=${SECRET.toLowerCase()}`)).toEqual(KEY);
});

it.each([
  { uri: `otpauth://totp/x?secret=${SECRET}&algorithm=SHA256`, fault: 'algorithm' },
  { uri: `otpauth://totp/x?secret=${SECRET}&digits=8`, fault: 'digits' },
  { uri: `otpauth://totp/x?secret=${SECRET}&period=60`, fault: 'period' },
  { uri: `otpauth://totp/x?secret=${base32(Buffer.alloc(15, 1))}`, fault: 'too_short' },
  { uri: `otpauth://totp/x?secret=${base32(Buffer.alloc(65, 1))}`, fault: 'too_long' },
  { uri: 'otpauth://totp/x', fault: 'too_short' },
  { uri: 'otpauth://totp/x?secret=0189', fault: 'malformed' },
  { uri: `otpauth://totp/x?secret=${SECRET}&secret=${SECRET}`, fault: 'malformed' },
  { uri: `otpauth://hotp/x?secret=${SECRET}`, fault: 'malformed' },
  { uri: `https://totp/x?secret=${SECRET}`, fault: 'malformed' },
  { uri: '', fault: 'malformed' },
])('H10: rejects $uri as $fault', ({ uri, fault }) => {
  expect(importedSecret(uri)).toBe(fault);
});

it('H6: rejects a secret that consists of zeros', () => {
  expect(importedSecret(`otpauth://totp/x?secret=${base32(Buffer.alloc(20))}`)).toBe('all_zero');
});
