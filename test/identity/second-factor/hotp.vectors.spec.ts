import { expect, it } from 'vitest';
import { codeOfStep } from '../../../src/identity/second-factor/totp/totp.js';
import published from './hotp.json' with { type: 'json' };

const { document, secret, section, vectors } = published;
const key = Buffer.from(secret);

it.each(vectors)(`HOTP of count $count is $hotp (${document}, ${section})`, ({ count, truncated, hotp }) => {
  // Ten digits hold the whole number of 31 bits.
  expect(codeOfStep(key, count, 10)).toBe(String(truncated).padStart(10, '0'));
  expect(codeOfStep(key, count)).toBe(hotp);
});
