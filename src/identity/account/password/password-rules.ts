import type { Random } from '../../../kernel/random/random.js';

/** Why a new password is rejected; the words appear in `errors` of `VALIDATION_FAILED`. */
export type PasswordRejection = 'malformed' | 'too_short' | 'too_long' | 'too_common' | 'same_as_id' | 'breached';

/** Limit of every password in bytes of UTF-8, whether new or tried. */
export const MAX_PASSWORD_BYTES = 1024;

export interface PasswordFacts {
  readonly loginId: string;
  /** In characters, each code point counting as one (NIST SP 800-63B-4, section 3.1.1.2). */
  readonly minLength: number;
  /** True if a lower-case password is one of the most common. */
  readonly isCommon: (lowerCase: string) => boolean;
}

/** Checks length and common passwords; there are no composition rules (NIST SP 800-63B-4, section 3.1.1.2). */
export function passwordRejection(
  password: string,
  { loginId, minLength, isCommon }: PasswordFacts,
): PasswordRejection | undefined {
  if (!password.isWellFormed()) return 'malformed';
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return 'too_long';
  if (Array.from(password).length < minLength) return 'too_short';
  const lowerCase = password.normalize('NFKC').toLowerCase();
  if (lowerCase.trim() === loginId.toLowerCase()) return 'same_as_id';
  return isCommon(lowerCase) ? 'too_common' : undefined;
}

let common: Promise<ReadonlySet<string>> | undefined;

/** Lower-case passwords that lists of stolen passwords begin with; loaded at their first use. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
  return common;
}

/** 32 symbols that look different from each other. */
const SYMBOLS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** 100 random bits in four groups, to be copied or typed. */
export function randomPassword(random: Random): string {
  const symbols = Array.from(random.bytes(20), (byte) => SYMBOLS.charAt(byte % SYMBOLS.length)).join('');
  return [0, 5, 10, 15].map((start) => symbols.slice(start, start + 5)).join('-');
}
