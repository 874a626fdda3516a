import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SystemRandom } from '../../random/random.js';
import { generateCodes, hashesOfCode, hashOfCode, normalisedCode, shownCode } from './backup-code.js';

describe('drawn codes', () => {
  it('T16: are ten different ones of forty random bits', () => {
    const random = new SystemRandom();
    const codes = Array.from({ length: 200 }, () => generateCodes((length) => random.bytes(length))).flat();

    expect(codes).toHaveLength(2000);
    expect(new Set(codes).size).toBe(2000);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    // Every symbol at every place: none is favoured by a remainder.
    for (let place = 0; place < 8; place += 1) {
      expect(new Set(codes.map((code) => code.charAt(place))).size).toBe(32);
    }
  });

  it('never repeat one within a set', () => {
    let drawn = 0;
    const bytes = (): Uint8Array => Buffer.from([0, 0, 0, 0, Math.floor(drawn++ / 2)]);

    expect(new Set(generateCodes(bytes)).size).toBe(10);
  });

  it.each([
    ['0000000000', '00000000'],
    ['ffffffffff', 'ZZZZZZZZ'],
    ['00443214c7', '01234567'],
    ['0000000001', '00000001'],
    ['8000000000', 'G0000000'],
  ])('write the bytes %s as %s', (hex, code) => {
    let rest = 0;
    const bytes = (): Uint8Array => (rest++ === 0 ? Buffer.from(hex, 'hex') : Buffer.from([1, 2, 3, 4, rest]));

    expect(generateCodes(bytes)[0]).toBe(code);
  });

  it('are shown in two groups', () => {
    expect(shownCode('ABCDEFGH')).toBe('ABCD-EFGH');
  });
});

describe('a typed code', () => {
  it.each(['ABCD-EFGH', 'abcd-efgh', ' ABCD EFGH ', 'A-B-C-D-E-F-G-H', 'ABCDEFGH'])('may be %o', (typed) => {
    expect(normalisedCode(typed)).toBe('ABCDEFGH');
  });

  it('may have letters that look like digits', () => {
    expect(normalisedCode('OoIi-Ll01')).toBe('00111101');
  });

  it.each(['ABCD-EFG', 'ABCD-EFGHJ', 'ABCD-EFGU', 'ABCD_EFGH', 'ABCD.EFGH', 'ÀBCDEFGH', '', '--------'])(
    'is not %o',
    (typed) => {
      expect(normalisedCode(typed)).toBeUndefined();
    },
  );
});

describe('the stored form', () => {
  const sha256 = `sha256:${createHash('sha256').update('ABCDEFGH').digest('hex')}`;
  const hmac = `hmac-sha256:${createHmac('sha256', 'pepper').update('ABCDEFGH').digest('hex')}`;

  it('is the SHA-256 of the normalised code without a pepper', () => {
    expect(hashOfCode('ABCDEFGH', undefined)).toBe(sha256);
    expect(hashesOfCode('ABCDEFGH', undefined)).toEqual([sha256]);
  });

  it('is keyed with a pepper, beside which the older form is still known', () => {
    expect(hashOfCode('ABCDEFGH', 'pepper')).toBe(hmac);
    expect(hashesOfCode('ABCDEFGH', 'pepper')).toEqual([hmac, sha256]);
  });
});
