import { createHash, createHmac } from 'node:crypto';
import type { Pepper } from './pepper.js';

/** Number of codes in a set (specification, "Backup codes"). */
export const CODES_PER_SET = 10;
/** At this number of unused codes or fewer, the user is advised to reissue them. */
export const LOW = 3;
/** Begins hashes that have a pepper. */
export const KEYED_TAG = 'hmac-sha256:';

/** Crockford's Base32: no I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BYTES = 5;
const SYMBOLS = 8;

/** Generates the codes of one set, all different, each of 40 bits, in the form that is hashed. */
export function generateCodes(bytes: (length: number) => Uint8Array): readonly string[] {
  const codes = new Set<string>();
  while (codes.size < CODES_PER_SET) codes.add(generateCode(bytes));
  return [...codes];
}

/** Generates one code of 40 bits, in the form that is hashed. */
export function generateCode(bytes: (length: number) => Uint8Array): string {
  let number = 0n;
  for (const byte of bytes(BYTES)) number = (number << 8n) | BigInt(byte);
  let code = '';
  for (let shift = (SYMBOLS - 1) * 5; shift >= 0; shift -= 5) {
    code += ALPHABET.charAt(Number((number >> BigInt(shift)) & 31n));
  }
  return code;
}

/** The form that users see: `XXXX-XXXX`. */
export function shownCode(code: string): string {
  return `${code.slice(0, SYMBOLS / 2)}-${code.slice(SYMBOLS / 2)}`;
}

/** A submitted code in the form that is hashed; undefined if the text cannot be a backup code. */
export function normalisedCode(typed: string): string | undefined {
  // Before upper-casing, which would turn letters of other scripts into ASCII ones.
  if (!/^[0-9A-Za-z -]{1,64}$/.test(typed)) return undefined;
  const code = typed.replaceAll(/[ -]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return code.length === SYMBOLS && !code.includes('U') ? code : undefined;
}

/** The stored form of a code: the hash with a tag for its algorithm, and the id of its pepper. */
export interface StoredCode {
  readonly hash: string;
  readonly pepper: string | null;
}

/** The stored form of a code; keyed if a pepper is configured. */
export function storedCode(code: string, pepper: Pepper | undefined): StoredCode {
  if (pepper === undefined) return { hash: `sha256:${createHash('sha256').update(code).digest('hex')}`, pepper: null };
  return { hash: KEYED_TAG + createHmac('sha256', pepper.secret).update(code).digest('hex'), pepper: pepper.id };
}

/**
 * Every form in which the code can be stored: a set that was issued under another configured pepper, or before any pepper
 * was configured, stays valid. All are computed for every code, so that the time does not tell which one matches.
 */
export function storedForms(code: string, peppers: readonly Pepper[]): readonly StoredCode[] {
  return [...peppers, undefined].map((pepper) => storedCode(code, pepper));
}
