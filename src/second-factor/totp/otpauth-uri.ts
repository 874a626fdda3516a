import { DIGITS, PERIOD_SECONDS } from './totp.js';

/** What an authenticator app scans; `secret` is Base32, and `issuer` holds no colon. */
export function otpauthUri(issuer: string, account: string, secret: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = [
    `secret=${secret}`,
    `issuer=${encodeURIComponent(issuer)}`,
    'algorithm=SHA1',
    `digits=${DIGITS}`,
    `period=${PERIOD_SECONDS}`,
  ];
  return `otpauth://totp/${label}?${parameters.join('&')}`;
}
