import { expect, it } from 'vitest';
import { otpauthUri } from './otpauth-uri.js';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

it('otpauthUri returns the URI of the specification', () => {
  expect(otpauthUri('Login', 'ann', SECRET)).toBe(
    `otpauth://totp/Login:ann?secret=${SECRET}&issuer=Login&algorithm=SHA1&digits=6&period=30`,
  );
});

it('otpauthUri escapes issuer and account', () => {
  expect(otpauthUri('A & B', 'ann@example.org/?#:ü', SECRET)).toBe(
    `otpauth://totp/A%20%26%20B:ann%40example.org%2F%3F%23%3A%C3%BC?secret=${SECRET}` +
      '&issuer=A%20%26%20B&algorithm=SHA1&digits=6&period=30',
  );
});
