import { expect, it } from 'vitest';
import { submittedCode, submittedTotp } from './submitted-code.js';

it.each([
  ['123456', { method: 'totp', response: '123456' }],
  ['123 456', { method: 'totp', response: '123456' }],
  ['000000', { method: 'totp', response: '000000' }],
  ['12345678', { method: 'backup_code', response: '12345678' }],
  ['ABCD-EFGH', { method: 'backup_code', response: 'ABCDEFGH' }],
  ['abcd efgh', { method: 'backup_code', response: 'ABCDEFGH' }],
  ['oOiI-lL00', { method: 'backup_code', response: '00111100' }],
])('submittedCode recognizes %o by its form', (typed, code) => {
  expect(submittedCode(typed)).toEqual(code);
});

it.each([
  ['too few digits', '12345'],
  ['seven digits', '1234567'],
  ['a TOTP code with a dash', '123-456'],
  ['full-width digits', '１２３４５６'],
  ['Arabic digits', '١٢٣٤٥٦'],
  ['a tab', '123\t456'],
  ['a no-break space', '123\u00a0456'],
  ['a NUL', '123456\0'],
  ['the letter U, which is in no code', 'ABCD-EFGU'],
  ['a letter that becomes an S', 'ABCD-EFGſ'],
  ['a letter that becomes an I', 'ABCD-EFGı'],
  ['an en dash', 'ABCD–EFGH'],
  ['spaces only', '      '],
  ['an empty text', ''],
  ['a long text', ' '.repeat(50_000) + '123456'],
])('submittedCode returns undefined for %s', (_, typed) => {
  expect(submittedCode(typed)).toBeUndefined();
});

it('submittedTotp returns undefined for a backup code', () => {
  expect(submittedTotp('ABCD-EFGH')).toBeUndefined();
});
