import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';

export const STEP_SECONDS = 30;

/** 20 bytes, shared by all users of the benches; the service seals them separately for each user. */
export const KEY = Buffer.from('a key of the benches');
/** The secret in Base32, as authenticator apps write it (RFC 4648 section 6). */
export const SECRET = base32(KEY);

const codes = new Map();

/** Code of RFC 6238 (SHA-1, six digits) for one step; computed once for each step. */
export function codeOf(step) {
  const known = codes.get(step);
  if (known !== undefined) return known;
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hmac = createHmac('sha1', KEY).update(counter).digest();
  const code = String((hmac.readUInt32BE(hmac[19] & 15) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
  codes.set(step, code);
  return code;
}

function base32(bytes) {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[parseInt(five, 2)]);
}
