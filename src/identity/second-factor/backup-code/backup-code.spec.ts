import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SystemRandom } from '../../../kernel/random/random.js';
import { generateCodes, normalisedCode, shownCode, storedCode, storedForms } from './backup-code.js';

describe('generated backup codes', () => {
  it('T16: are ten different codes of forty random bits', () => {
    const random = new SystemRandom();
    const codes = Array.from({ length: 200 }, () => generateCodes((length) => random.bytes(length))).flat();

    expect(codes).toHaveLength(2000);
    expect(new Set(codes).size).toBe(2000);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    // Every symbol occurs at every place, so a remainder favours no symbol.
    for (let place = 0; place < 8; place += 1) {
      expect(new Set(codes.map((code) => code.charAt(place))).size).toBe(32);
    }
  });

  it('differ within a set, even if the random source repeats', () => {
    let calls = 0;
    const bytes = (): Uint8Array => Buffer.from([0, 0, 0, 0, Math.floor(calls++ / 2)]);

    expect(new Set(generateCodes(bytes)).size).toBe(10);
  });

  it.each([
    ['0000000000', '00000000'],
    ['ffffffffff', 'ZZZZZZZZ'],
    ['00443214c7', '01234567'],
    ['0000000001', '00000001'],
    ['8000000000', 'G0000000'],
  ])('encode the bytes %s as %s', (hex, code) => {
    let rest = 0;
    const bytes = (): Uint8Array => (rest++ === 0 ? Buffer.from(hex, 'hex') : Buffer.from([1, 2, 3, 4, rest]));

    expect(generateCodes(bytes)[0]).toBe(code);
  });

  it('are shown in two groups of four symbols', () => {
    expect(shownCode('ABCDEFGH')).toBe('ABCD-EFGH');
  });
});

describe('a submitted backup code', () => {
  it.each(['ABCD-EFGH', 'abcd-efgh', ' ABCD EFGH ', 'A-B-C-D-E-F-G-H', 'ABCDEFGH'])('can be spelled %o', (typed) => {
    expect(normalisedCode(typed)).toBe('ABCDEFGH');
  });

  it('can have letters that look like digits', () => {
    expect(normalisedCode('OoIi-Ll01')).toBe('00111101');
  });

  it.each(['ABCD-EFG', 'ABCD-EFGHJ', 'ABCD-EFGU', 'ABCD_EFGH', 'ABCD.EFGH', 'ÀBCDEFGH', '', '--------'])(
    'cannot be %o',
    (typed) => {
      expect(normalisedCode(typed)).toBeUndefined();
    },
  );
});

describe('the stored form of a backup code', () => {
  const sha256 = { hash: `sha256:${createHash('sha256').update('ABCDEFGH').digest('hex')}`, pepper: null };
  const keyed = (secret: string): string =>
    `hmac-sha256:${createHmac('sha256', secret).update('ABCDEFGH').digest('hex')}`;
  const unnamed = { id: null, secret: 'pepper' };
  const named = { id: 'k2', secret: 'another pepper' };

  it('is the SHA-256 of the normalised code without a pepper', () => {
    expect(storedCode('ABCDEFGH', undefined)).toEqual(sha256);
    expect(storedForms('ABCDEFGH', [])).toEqual([sha256]);
  });

  it('is keyed with a pepper, and the older form is still recognized', () => {
    expect(storedCode('ABCDEFGH', unnamed)).toEqual({ hash: keyed('pepper'), pepper: null });
    expect(storedForms('ABCDEFGH', [unnamed])).toEqual([{ hash: keyed('pepper'), pepper: null }, sha256]);
  });

  it('names the id of its pepper, and the forms under all configured peppers are recognized', () => {
    expect(storedCode('ABCDEFGH', named)).toEqual({ hash: keyed('another pepper'), pepper: 'k2' });
    expect(storedForms('ABCDEFGH', [unnamed, named])).toEqual([
      { hash: keyed('pepper'), pepper: null },
      { hash: keyed('another pepper'), pepper: 'k2' },
      sha256,
    ]);
  });
});
