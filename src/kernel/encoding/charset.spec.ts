import { describe, expect, it } from 'vitest';
import { CharsetRejection, charsetNamed, charsetOf, UTF_8 } from './charset.js';

describe('a character set', () => {
  it.each([
    ['UTF-8', 'ü한', 'c3bced959c'],
    ['utf8', 'ü', 'c3bc'],
    ['ISO-8859-1', 'ü', 'fc'],
    ['latin1', 'ü', 'fc'],
    ['ISO-8859-15', '€', 'a4'],
    ['windows-1252', '€', '80'],
    ['EUC-KR', '한글', 'c7d1b1db'],
    ['Shift_JIS', 'ログ', '838d834f'],
    ['GB18030', '登', 'b5c7'],
    ['US-ASCII', 'a', '61'],
  ])('%s is decoded and encoded by its own bytes', (name, text, hex) => {
    expect(charsetNamed(name).encode(text).toString('hex')).toBe(hex);
    expect(charsetNamed(name).decode(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it.each(['utf-8', 'UTF8', 'Utf-8'])('%s is UTF-8', (name) => {
    expect(charsetOf(name)).toBe(UTF_8);
  });

  it('is the same under all its names', () => {
    expect(charsetOf('ISO-8859-1')).toBe(charsetOf('latin1'));
    expect(charsetOf('euc-kr')).toBe(charsetOf('EUCKR'));
    expect(charsetOf('EUC-KR')).not.toBe(charsetOf('Shift_JIS'));
  });

  it.each([
    ['UTF-8', 'ff'],
    ['UTF-8', 'eda080'],
    ['US-ASCII', 'c3bc'],
    ['windows-1252', '81'],
    ['EUC-KR', 'ff'],
    ['EUC-KR', 'c7'],
    ['Shift_JIS', '83'],
  ])('H2: %s rejects invalid bytes: %s', (name, hex) => {
    expect(charsetNamed(name).decode(Buffer.from(hex, 'hex'))).toBeUndefined();
  });

  it('writes a question mark for characters that it does not have', () => {
    expect(charsetNamed('ISO-8859-1').encode('ü한').toString('latin1')).toBe('ü?');
  });
});

describe('the name of a character set', () => {
  it.each(['klingon', 'UTF-9', '__proto__', 'constructor', 'toString'])('is rejected if it is unknown: %s', (name) => {
    expect(charsetOf(name)).toBeInstanceOf(CharsetRejection);
  });

  it.each(['UTF-16', 'UTF-16LE', 'UTF-32', 'UCS-2', 'UTF-7', 'UTF-7-IMAP', 'base64', 'hex'])(
    'is rejected if its bytes differ from ASCII: %s',
    (name) => {
      expect(charsetOf(name)).toEqual(new CharsetRejection('the character set does not extend ASCII'));
    },
  );

  it.each(['', ' UTF-8', 'UTF-8;', 'a"b', 'a\r\nb', '-a', 'ISO_8859-1:1987'])(
    'is rejected if it is malformed: %j',
    (name) => {
      expect(charsetOf(name)).toEqual(new CharsetRejection('not the name of a character set such as UTF-8'));
    },
  );
});
