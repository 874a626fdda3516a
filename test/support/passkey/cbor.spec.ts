import { describe, expect, it } from 'vitest';
import { type CborValue, encodeCbor } from './cbor.js';

describe('CBOR of the tests', () => {
  it.each<readonly [string, CborValue]>([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1000],
    ['1a000f4240', 1_000_000],
    ['20', -1],
    ['3863', -100],
    ['3903e7', -1000],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['4401020304', Buffer.of(1, 2, 3, 4)],
    ['62c3bc', 'ü'],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    ['a0', new Map()],
    [
      'a26161016162820203',
      new Map<string, CborValue>([
        ['a', 1],
        ['b', [2, 3]],
      ]),
    ],
  ])('the encoder writes %s of RFC 8949 Appendix A', (hex, value) => {
    expect(encodeCbor(value).toString('hex')).toBe(hex);
  });
});
