import { createHmac } from 'node:crypto';
import { parsePasswordHash, type PasswordHash } from './password-hash.js';

/**
 * What a wrong password costs at a stored hash: algorithm and cost parameters, as the text of a hash without its salt
 * and key. Empty where nothing can be verified.
 */
export type PasswordKind = string;

const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** What follows the salt and key in base64 is the alphabet of bcrypt but for one character. */
const BCRYPT_CHARACTERS = 53;
/** Random bytes that a decoy takes: salt, and the longest key that can be verified. */
export const DECOY_BYTES = SALT_BYTES + 96;

export function kindOf(stored: string): PasswordKind {
  const hash = parsePasswordHash(stored);
  switch (hash?.scheme) {
    case undefined:
      return '';
    case 'argon2':
      return hash.text.slice(0, hash.text.lastIndexOf('$', hash.text.lastIndexOf('$') - 1));
    case 'bcrypt':
      return `$2b$${hash.cost.toString().padStart(2, '0')}`;
    case 'scrypt':
      return `$scrypt$ln=${Math.log2(hash.cost)},r=${hash.blockSize},p=${hash.parallelism}`;
    case 'pbkdf2':
      return `$pbkdf2-${hash.digest}$i=${hash.iterations},l=${hash.key.length}`;
  }
}

/** How a log shows it: text with the `$` of a hash is masked there. */
export function kindText(kind: PasswordKind): string {
  return kind.slice(1).replaceAll('$', ' ');
}

/** A hash of this kind that no password fits; undefined where the kind is none. */
export function decoyOfKind(kind: PasswordKind, random: Uint8Array): PasswordHash | undefined {
  const keyBytes = Number(/,l=(\d+)$/.exec(kind)?.[1] ?? KEY_BYTES);
  const salt = base64(random.subarray(0, SALT_BYTES));
  const key = base64(random.subarray(SALT_BYTES, SALT_BYTES + keyBytes));
  const isBcrypt = kind.startsWith('$2b$');
  const end = isBcrypt ? `${salt}${key}`.replaceAll('+', '.').slice(0, BCRYPT_CHARACTERS) : `${salt}$${key}`;
  return parsePasswordHash(`${kind}$${end}`);
}

/**
 * The kind that a login id without an account takes: each kind is drawn as often as accounts have it, and one id always
 * draws the same. Where accounts move from one kind to another, ids move in the same direction only (weighted rendezvous
 * hashing), so that a change of kind does not tell an account from an unknown id either.
 */
export function drawnKind(
  key: Uint8Array,
  loginId: string,
  counts: ReadonlyMap<PasswordKind, number>,
): PasswordKind | undefined {
  let drawn: PasswordKind | undefined;
  let least = Infinity;
  for (const [kind, count] of counts) {
    const score = -Math.log(fraction(key, `${kind} ${loginId}`)) / count;
    if (score >= least) continue;
    drawn = kind;
    least = score;
  }
  return drawn;
}

/** Between 0 and 1, neither of them. */
function fraction(key: Uint8Array, text: string): number {
  return (createHmac('sha256', key).update(text).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
