import { expect, it } from 'vitest';
import { base32 } from '../../../kernel/encoding/base32.js';
import { importedSecret as importedSecretOf } from './imported-secret.js';
import { otpauthUri } from './otpauth-uri.js';

const KEY = Buffer.from('12345678901234567890');
const SECRET = base32(KEY);
const importedSecret = (uri: string, minBits = 128) => importedSecretOf(uri, minBits);

it('H10: the URI that this service creates is accepted', () => {
  expect(importedSecret(otpauthUri('Login', 'ann', SECRET))).toEqual(KEY);
});

it('H10: a URI without the parameters that have their default values is accepted', () => {
  expect(importedSecret(`otpauth://totp/Portal:ann?secret=${SECRET.toLowerCase()}`)).toEqual(KEY);
});

it.each([
  { uri: `otpauth://totp/x?secret=${SECRET}&algorithm=SHA256`, problem: 'algorithm' },
  { uri: `otpauth://totp/x?secret=${SECRET}&digits=8`, problem: 'digits' },
  { uri: `otpauth://totp/x?secret=${SECRET}&period=60`, problem: 'period' },
  { uri: `otpauth://totp/x?secret=${base32(Buffer.alloc(15, 1))}`, problem: 'too_short' },
  { uri: `otpauth://totp/x?secret=${base32(Buffer.alloc(65, 1))}`, problem: 'too_long' },
  { uri: 'otpauth://totp/x', problem: 'too_short' },
  { uri: 'otpauth://totp/x?secret=0189', problem: 'malformed' },
  { uri: `otpauth://totp/x?secret=${SECRET}&secret=${SECRET}`, problem: 'malformed' },
  { uri: `otpauth://hotp/x?secret=${SECRET}`, problem: 'malformed' },
  { uri: `https://totp/x?secret=${SECRET}`, problem: 'malformed' },
  { uri: '', problem: 'malformed' },
])('H10: $uri is rejected as $problem', ({ uri, problem }) => {
  expect(importedSecret(uri)).toBe(problem);
});

it('H6: a secret that consists of zeros is rejected', () => {
  expect(importedSecret(`otpauth://totp/x?secret=${base32(Buffer.alloc(20))}`)).toBe('all_zero');
});

it.each([
  ['blanks', `otpauth://totp/x?secret=${SECRET.replaceAll(/.{4}/g, '$& ')}`],
  ['encoded blanks', `otpauth://totp/x?secret=%20${SECRET.replaceAll(/.{4}/g, '$&%20')}`],
  ['another case', `OtpAuth://ToTP/x?Secret=${SECRET.toLowerCase()}&Algorithm=sha1`],
])('A6: a URI with %s is read', (_, uri) => {
  expect(importedSecret(uri)).toEqual(KEY);
});

it.each([
  ['another algorithm', `otpauth://totp/x?secret=${SECRET}&ALGORITHM=SHA256`, 'algorithm'],
  ['another number of digits', `otpauth://totp/x?secret=${SECRET}&Digits=8`, 'digits'],
  ['a second secret', `otpauth://totp/x?secret=${SECRET}&SECRET=${SECRET}`, 'malformed'],
  ['a hyphen in the secret', `otpauth://totp/x?secret=${SECRET.replace(/.{4}/, '$&-')}`, 'malformed'],
  ['blanks in place of a secret', 'otpauth://totp/x?secret=%20%20', 'too_short'],
])('A6: a URI with %s is rejected, whatever the case of its names', (_, uri, problem) => {
  expect(importedSecret(uri)).toBe(problem);
});

it.each([
  [10, 80],
  [15, 120],
  [16, 128],
])('A6: a key of %i bytes is accepted from min-secret-bits=%i on', (bytes, bits) => {
  const uri = `otpauth://totp/x?secret=${base32(Buffer.alloc(bytes, 1))}`;

  expect(importedSecret(uri, bits)).toHaveLength(bytes);
  expect(importedSecret(uri, bits + 1)).toBe('too_short');
});
