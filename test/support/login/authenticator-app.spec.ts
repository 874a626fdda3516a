import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from './authenticator-app.js';

/** The test key of RFC 6238 Appendix B. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('authenticator app of the tests', () => {
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1234567890, '005924'],
    [20000000000, '353130'],
  ])('the authenticator app shows the last six digits of RFC 6238 Appendix B at %i', (seconds, code) => {
    expect(AuthenticatorApp.typeIn(SECRET).codeAt(seconds)).toBe(code);
  });

  it('the authenticator app reads issuer, account and parameters of an otpauth URI', () => {
    const app = AuthenticatorApp.scan(`otpauth://totp/A%20B:c%40d?secret=${SECRET}&issuer=A%20B&period=30`);

    expect(app.secret).toBe(SECRET);
    expect(app.label).toEqual({
      issuer: 'A B',
      account: 'c@d',
      parameters: { secret: SECRET, issuer: 'A B', period: '30' },
    });
  });

  it('wrong codes differ from each other and from every correct code near the time', () => {
    const app = AuthenticatorApp.typeIn(SECRET);
    const wrong = Array.from({ length: 100 }, (_, variant) => app.wrongCodeAt(59, variant));

    expect(new Set(wrong).size).toBe(100);
    for (let step = -3; step <= 3; step += 1) expect(wrong).not.toContain(app.codeAt(59 + 90, step));
  });
});
