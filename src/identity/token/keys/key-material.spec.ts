import { createPublicKey, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { keyOfDer, newPrivateKey } from './key-material.js';

// One of 128 signatures has a number with fewer than 32 bytes, and three of four have one with a leading zero in DER.
const SIGNATURES = 2000;

it('every signature of a key on P-256 has 64 bytes and is valid', async () => {
  const { sign, jwk = {} } = keyOfDer(await newPrivateKey('ES256'));
  const key = createPublicKey({ key: jwk, format: 'jwk' });

  for (let count = 0; count < SIGNATURES; count += 1) {
    const input = Buffer.from(`token ${count}`);
    const signature = await sign?.(input);
    expect(signature).toHaveLength(64);
    expect(verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, signature ?? Buffer.alloc(0))).toBe(true);
  }
});
