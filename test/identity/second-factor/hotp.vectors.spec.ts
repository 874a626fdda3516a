import { expect, it } from 'vitest';
import { verifyTotp } from '../../../src/identity/second-factor/totp/totp.js';
import published from './hotp.json' with { type: 'json' };

const { document, secret, section, vectors } = published;
const key = Buffer.from(secret);

it.each(vectors)(`HOTP of count $count is $hotp (${document}, ${section})`, ({ count, hotp }) => {
  // One step earlier, the step of this count is the only unused one that can accept the code.
  expect(verifyTotp(key, hotp, (count - 1) * 30, count - 1)).toEqual({ kind: 'accepted', step: count, offset: 1 });
});
