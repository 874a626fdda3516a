import { DIGITS, PERIOD_SECONDS } from './totp.js';

/** The URI that an authenticator app scans; `secret` is Base32, and `issuer` contains no colon. */
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

/** The QR code of an otpauth URI; the package is loaded at its first use, so that startup does not wait for it. */
export async function qrSvg(uri: string): Promise<string> {
  const { default: qrcode } = await import('qrcode');
  return qrcode.toString(uri, { type: 'svg' });
}

export async function qrPng(uri: string): Promise<Buffer> {
  const { default: qrcode } = await import('qrcode');
  return qrcode.toBuffer(uri, { type: 'png', scale: 6 });
}
