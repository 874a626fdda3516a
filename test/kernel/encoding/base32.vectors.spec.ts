import { expect, it } from 'vitest';
import { base32, bytesOfBase32 } from '../../../src/kernel/encoding/base32.js';
import { fc } from '../../support/runner/property.js';
import published from './base32.json' with { type: 'json' };

const { document, section, vectors } = published;

it.each(vectors)(`base32 encodes "$text" as "$base32" without padding (${document}, section ${section})`, (vector) => {
  expect(base32(Buffer.from(vector.text))).toBe(vector.base32.replaceAll('=', ''));
  expect(bytesOfBase32(vector.base32)?.toString()).toBe(vector.text);
});

it('base32 decodes its own output in upper and lower case', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      expect(bytesOfBase32(base32(bytes))).toEqual(Buffer.from(bytes));
      expect(bytesOfBase32(base32(bytes).toLowerCase())).toEqual(Buffer.from(bytes));
    }),
  );
});
