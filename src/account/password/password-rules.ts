/** What a new password may be refused for; the words stand in `errors` of `VALIDATION_FAILED`. */
export type PasswordFault = 'malformed' | 'too_short' | 'too_long' | 'too_common' | 'same_as_id';

/** Longest password in bytes of UTF-8, new or tried. */
export const LONGEST_PASSWORD = 1024;

export interface PasswordFacts {
  readonly loginId: string;
  /** In characters, each code point counting as one (NIST SP 800-63B-4, section 3.1.1.2). */
  readonly minLength: number;
  /** Asks whether a password in lower case is among those everybody tries first. */
  readonly isCommon: (lowerCase: string) => boolean;
}

/** Length and what would be guessed first; no rule about kinds of characters (NIST SP 800-63B-4, section 3.1.1.2). */
export function passwordFault(
  password: string,
  { loginId, minLength, isCommon }: PasswordFacts,
): PasswordFault | undefined {
  if (!password.isWellFormed()) return 'malformed';
  if (Buffer.byteLength(password) > LONGEST_PASSWORD) return 'too_long';
  if (Array.from(password).length < minLength) return 'too_short';
  const lowerCase = password.normalize('NFKC').toLowerCase();
  if (lowerCase.trim() === loginId.toLowerCase()) return 'same_as_id';
  return isCommon(lowerCase) ? 'too_common' : undefined;
}
