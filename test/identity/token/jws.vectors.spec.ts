import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { compactVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { keyOfPem, keyOfSecret, type UsableKey } from '../../../src/identity/token/keys/key-material.js';
import published from './jws.json' with { type: 'json' };

const keyOf = (jwk: JsonWebKey): UsableKey =>
  jwk.kty === 'oct'
    ? keyOfSecret('vector', Buffer.from(String(jwk.k), 'base64url'))
    : keyOfPem(createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'spki' }) as string);

describe.each(published.signatures)(
  '$algorithm example of $document, $section',
  ({ algorithm, document, section, key, jws, payload }) => {
    it(`the ${algorithm} example of ${document}, ${section}, verifies with the imported key`, async () => {
      const usable = keyOf(key);

      const verified = await compactVerify(jws, usable.verifies, { algorithms: [usable.algorithm] });

      expect(usable.algorithm).toBe(algorithm);
      expect(Buffer.from(verified.payload).toString()).toBe(payload);
    });

    it.each([0, 1, 2])(`the ${algorithm} example fails to verify with a changed letter in part %d`, async (part) => {
      const { verifies } = keyOf(key);
      const parts = jws.split('.');
      const text = parts[part] ?? '';
      parts[part] = text.slice(0, 8) + (text[8] === 'A' ? 'B' : 'A') + text.slice(9);

      await expect(compactVerify(parts.join('.'), verifies, { algorithms: [algorithm] })).rejects.toThrow();
    });
  },
);

describe.each(published.thumbprints)(
  'key of $document, $section',
  ({ document, section, key, thumbprint: expected }) => {
    it(`the key of ${document}, ${section}, has its published thumbprint as key id`, () => {
      expect(keyOf(key).kid).toBe(expected);
    });
  },
);
