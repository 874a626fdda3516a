import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { COSE_ALGORITHM, PASSKEY_ALGORITHMS, PasskeyKey } from '../../../../test/support/passkey/passkey-key.js';
import { ALGORITHMS, publicKeyOf } from './cose-key.js';

const KEYS = {
  ES256: PasskeyKey.generate('ES256').cose,
  RS256: PasskeyKey.generate('RS256').cose,
  EdDSA: PasskeyKey.generate('EdDSA').cose,
};

function rsa(modulusLength: number): Map<number, unknown> {
  const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
  return new Map<number, unknown>([
    [1, 3],
    [3, -257],
    [-1, Buffer.from(n, 'base64url')],
    [-2, Buffer.from(e, 'base64url')],
  ]);
}

describe('publicKeyOf', () => {
  it('authenticators are asked for the algorithms that can be read', () => {
    expect(ALGORITHMS.toSorted()).toEqual(Object.values(COSE_ALGORITHM).toSorted());
  });

  it.each(PASSKEY_ALGORITHMS)('reads a key for %s', (algorithm) => {
    const key = PasskeyKey.generate(algorithm);

    expect(publicKeyOf(key.cose)?.export({ format: 'der', type: 'spki' })).toEqual(key.spki);
  });

  it('ignores further members', () => {
    expect(publicKeyOf(new Map<unknown, unknown>([...KEYS.ES256, [2, Buffer.of(1)], ['use', 'sig']]))).toBeDefined();
  });

  const POINT = Buffer.alloc(32, 1);
  it.each<[string, keyof typeof KEYS, readonly (readonly [number, unknown])[]]>([
    ['no algorithm', 'ES256', [[3, undefined]]],
    ['an algorithm that is not offered', 'ES256', [[3, -35]]],
    ['a text as algorithm', 'ES256', [[3, 'ES256']]],
    ['the type of an RSA key for ES256', 'ES256', [[1, 3]]],
    ['the type of an octet key for ES256', 'ES256', [[1, 1]]],
    ['the curve P-384 for ES256', 'ES256', [[-1, 2]]],
    ['no curve', 'ES256', [[-1, undefined]]],
    [
      'a point that is not on the curve',
      'ES256',
      [
        [-2, POINT],
        [-3, POINT],
      ],
    ],
    [
      'the point at infinity',
      'ES256',
      [
        [-2, Buffer.alloc(32)],
        [-3, Buffer.alloc(32)],
      ],
    ],
    ['a coordinate that is a boolean', 'ES256', [[-3, true]]],
    ['a coordinate that is a text', 'ES256', [[-2, POINT.toString('base64url')]]],
    ['a coordinate of 31 bytes', 'ES256', [[-2, POINT.subarray(1)]]],
    ['no coordinate', 'ES256', [[-2, undefined]]],
    ['the algorithm of another type', 'ES256', [[3, -257]]],
    ['the type of an elliptic curve for EdDSA', 'EdDSA', [[1, 2]]],
    ['the curve X25519', 'EdDSA', [[-1, 4]]],
    ['the curve Ed448', 'EdDSA', [[-1, 7]]],
    ['an EdDSA key of 33 bytes', 'EdDSA', [[-2, Buffer.alloc(33, 1)]]],
    ['no EdDSA key', 'EdDSA', [[-2, undefined]]],
    ['the type of an elliptic curve for RS256', 'RS256', [[1, 2]]],
    ['no modulus', 'RS256', [[-1, undefined]]],
    ['no exponent', 'RS256', [[-2, undefined]]],
    ['the exponent 1', 'RS256', [[-2, Buffer.of(1)]]],
    ['a modulus of zero', 'RS256', [[-1, Buffer.alloc(256)]]],
  ])('rejects a key with %s', (_, algorithm, members) => {
    expect(publicKeyOf(new Map<unknown, unknown>([...KEYS[algorithm], ...members]))).toBeUndefined();
  });

  it('rejects an RSA key below 2048 bits', () => {
    expect(publicKeyOf(rsa(1024))).toBeUndefined();
    expect(publicKeyOf(rsa(2048))).toBeDefined();
  });

  it('rejects an empty map', () => {
    expect(publicKeyOf(new Map())).toBeUndefined();
  });
});
