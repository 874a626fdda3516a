import { bytesOfBase32 } from '../../encoding/base32.js';

/** RFC 4226 section 4, R6: a shared secret has at least 128 bits. */
const MIN_KEY_BYTES = 16;
const MAX_KEY_BYTES = 64;

/** Why an imported otpauth URI cannot be used. */
export type OtpauthFault = 'malformed' | 'algorithm' | 'digits' | 'period' | 'too_short' | 'too_long' | 'all_zero';

/** The key of an imported otpauth URI; SHA1, six digits and 30 seconds must be stated or left out. */
export function importedSecret(uri: string): Uint8Array | OtpauthFault {
  if (!uri.startsWith('otpauth://totp/') || !URL.canParse(uri)) return 'malformed';
  const { searchParams } = new URL(uri);
  const isOrUnset = (name: string, value: string): boolean =>
    searchParams.getAll(name).every((given) => given.toUpperCase() === value);
  if (!isOrUnset('algorithm', 'SHA1')) return 'algorithm';
  if (!isOrUnset('digits', '6')) return 'digits';
  if (!isOrUnset('period', '30')) return 'period';
  const [secret = '', ...more] = searchParams.getAll('secret');
  const key = more.length === 0 ? bytesOfBase32(secret) : undefined;
  if (!key) return 'malformed';
  if (key.length < MIN_KEY_BYTES) return 'too_short';
  if (key.every((byte) => byte === 0)) return 'all_zero';
  return key.length > MAX_KEY_BYTES ? 'too_long' : key;
}
