import { type ScalarType, text } from '../../config/bind/key-type.js';
import { ConversionProblem } from '../../config/problem.js';
import { KEY_BYTES } from './aes-gcm.js';

/**
 * Minimum number of distinct bytes in a key: random keys have about thirty, two copies of sixteen hexadecimal digits
 * have sixteen.
 */
const MIN_DISTINCT_BYTES = 18;

/** 32 random bytes in Base64; keys that look hand-made are rejected, since they could be guessed. */
export const sealKey: ScalarType<Uint8Array> = {
  ...(text() as ScalarType<never>),
  name: 'key of 32 bytes',
  expects: '32 random bytes in Base64, such as "openssl rand -base64 32" prints',
  parse: (value) => {
    const trimmed = value.trim();
    // Buffer skips characters that are not Base64: a mistyped key would silently become another key.
    if (!/^[A-Za-z\d+/_-]+={0,2}$/.test(trimmed)) return new ConversionProblem('not Base64');
    const bytes = Buffer.from(trimmed, 'base64');
    if (bytes.length !== KEY_BYTES)
      return new ConversionProblem(`these are ${bytes.length} bytes instead of ${KEY_BYTES}`);
    const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
    if (isText || new Set(bytes).size < MIN_DISTINCT_BYTES) return new ConversionProblem('the bytes are not random');
    return bytes;
  },
  format: () => '',
};

/** Canonical id: a key keeps its id when it moves between a file and the environment, whose names have no `-`. */
export function sealKeyId(written: string): string {
  return written.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}
