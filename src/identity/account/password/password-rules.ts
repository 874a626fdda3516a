import type { Random } from '../../../kernel/random/random.js';
import type { GuessableReason } from './strength/strength-worker.js';

/** Why a new password is rejected; the words appear in `errors` of `VALIDATION_FAILED`. */
export type PasswordRejection =
  'malformed' | 'too_short' | 'too_long' | 'too_common' | 'same_as_id' | 'breached' | GuessableReason;

/** Limit of every password in bytes of UTF-8, whether new or tried. */
export const MAX_PASSWORD_BYTES = 1024;

export interface PasswordFacts {
  readonly loginId: string;
  /** In characters, each code point counting as one (NIST SP 800-63B-4, section 3.1.1.2). */
  readonly minLength: number;
}

/** Checks form and length; there are no composition rules (NIST SP 800-63B-4, section 3.1.1.2). */
export function passwordRejection(
  password: string,
  { loginId, minLength }: PasswordFacts,
): PasswordRejection | undefined {
  if (!password.isWellFormed()) return 'malformed';
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return 'too_long';
  if (Array.from(normalForm(password)).length < minLength) return 'too_short';
  const lowerCase = password.normalize('NFKC').toLowerCase();
  return lowerCase.trim() === loginId.toLowerCase() ? 'same_as_id' : undefined;
}

/** The form in which passwords are hashed, however a keyboard composes them (NIST SP 800-63B-4, section 3.1.1.2). */
export function normalForm(password: string): string {
  return password.normalize('NFC');
}

/** 32 symbols that look different from each other. */
const SYMBOLS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** 100 random bits in four groups, to be copied or typed. */
export function randomPassword(random: Random): string {
  const symbols = Array.from(random.bytes(20), (byte) => SYMBOLS.charAt(byte % SYMBOLS.length)).join('');
  return [0, 5, 10, 15].map((start) => symbols.slice(start, start + 5)).join('-');
}
