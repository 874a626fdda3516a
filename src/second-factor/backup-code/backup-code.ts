import { createHash, createHmac } from 'node:crypto';

/** Codes of one issue (specification, "Backup codes"). */
export const CODES_PER_SET = 10;
/** Few enough that a reissue is advised. */
export const LOW = 3;

/** Crockford's Base32: no I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BYTES = 5;
const SYMBOLS = 8;

/** Draws the codes of one set, all different, each of 40 bits; gives the form that is hashed. */
export function generateCodes(bytes: (length: number) => Uint8Array): readonly string[] {
  const codes = new Set<string>();
  while (codes.size < CODES_PER_SET) codes.add(codeOf(bytes(BYTES)));
  return [...codes];
}

function codeOf(bytes: Uint8Array): string {
  let number = 0n;
  for (const byte of bytes) number = (number << 8n) | BigInt(byte);
  let code = '';
  for (let shift = (SYMBOLS - 1) * 5; shift >= 0; shift -= 5) {
    code += ALPHABET.charAt(Number((number >> BigInt(shift)) & 31n));
  }
  return code;
}

/** The form a person sees: `XXXX-XXXX`. */
export function shownCode(code: string): string {
  return `${code.slice(0, SYMBOLS / 2)}-${code.slice(SYMBOLS / 2)}`;
}

/** What a person typed, in the form that is hashed; undefined where it cannot be a backup code. */
export function normalisedCode(typed: string): string | undefined {
  // Before upper-casing, which would turn letters of other scripts into ASCII ones.
  if (!/^[0-9A-Za-z -]{1,64}$/.test(typed)) return undefined;
  const code = typed.replaceAll(/[ -]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return code.length === SYMBOLS && !code.includes('U') ? code : undefined;
}

/** The stored form of a code, with a tag that says how it was made; keyed where there is a pepper. */
export function hashOfCode(code: string, pepper: string | undefined): string {
  if (pepper === undefined) return `sha256:${createHash('sha256').update(code).digest('hex')}`;
  return `hmac-sha256:${createHmac('sha256', pepper).update(code).digest('hex')}`;
}

/** Every form the code may be stored in: a set issued before the pepper was set stays valid. */
export function hashesOfCode(code: string, pepper: string | undefined): readonly string[] {
  return pepper === undefined ? [hashOfCode(code, undefined)] : [hashOfCode(code, pepper), hashOfCode(code, undefined)];
}
