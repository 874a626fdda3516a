import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';

export const KEY_BYTES = 32;
/** Random nonces of this length are safe for 2^32 values under one key (NIST SP 800-38D section 8.3). */
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with AES-256-GCM and returns nonce, ciphertext and tag as base64url; `context` is authenticated and not part
 * of the text.
 */
export function encrypt(key: Uint8Array | KeyObject, nonce: Uint8Array, plain: Uint8Array, context: string): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Decrypts a text; undefined if it was not encrypted with this key for this context. */
export function decrypt(key: Uint8Array | KeyObject, text: string, context: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    // The only possible error is a tag that does not match.
    return undefined;
  }
  return plain;
}
