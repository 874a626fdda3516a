import { bytesOfBase32 } from '../../../kernel/encoding/base32.js';

const MAX_KEY_BYTES = 64;
/** Scheme and type are compared without case (RFC 3986 section 3.1, 3.2.2). */
const TOTP_URI = /^otpauth:\/\/totp\//i;

/** Why an imported otpauth URI cannot be used. */
export type OtpauthRejection = 'malformed' | 'algorithm' | 'digits' | 'period' | 'too_short' | 'too_long' | 'all_zero';

/**
 * The key of an imported otpauth URI; SHA1, six digits and 30 seconds must be stated or left out. Names of parameters in any
 * case and blanks in the secret are read, because other programs write them and no other key can be meant.
 */
export function importedSecret(uri: string, minBits: number): Uint8Array | OtpauthRejection {
  if (!TOTP_URI.test(uri) || !URL.canParse(uri)) return 'malformed';
  const parameters = [...new URL(uri).searchParams];
  const valuesOf = (name: string): readonly string[] =>
    parameters.flatMap(([parameter, value]) => (parameter.toLowerCase() === name ? [value] : []));
  const isOrUnset = (name: string, value: string): boolean =>
    valuesOf(name).every((parameter) => parameter.toUpperCase() === value);
  if (!isOrUnset('algorithm', 'SHA1')) return 'algorithm';
  if (!isOrUnset('digits', '6')) return 'digits';
  if (!isOrUnset('period', '30')) return 'period';
  const [secret = '', ...more] = valuesOf('secret');
  const key = more.length === 0 ? bytesOfBase32(secret.replaceAll(' ', '')) : undefined;
  if (!key) return 'malformed';
  if (key.length * 8 < minBits) return 'too_short';
  if (key.every((byte) => byte === 0)) return 'all_zero';
  return key.length > MAX_KEY_BYTES ? 'too_long' : key;
}
