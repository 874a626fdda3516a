import { hasHangul, latinKeys } from './dubeolsik.js';

/** Facts about a user that a guess of the password can use. */
export interface PasswordUser {
  readonly loginId: string;
  readonly email?: string | undefined;
  readonly displayName?: string | undefined;
}

const SEPARATORS = /[^\p{L}\p{N}]+/u;
/** A Hangul syllable is two or three letters. */
const MIN_LENGTH = 3;
const MIN_SYLLABLES = 2;
const MAX_LENGTH = 64;
const MAX_WORDS = 200;
/** zxcvbn takes words with a separator between them for a longer password. */
const JOINED_BY = ['', ' ', '-', '_', '.'];

/** The words that a password must not be built of: those of the user, and those of the service. */
export function personalWords(
  { loginId, email = '', displayName = '' }: PasswordUser,
  ofService: readonly string[],
): readonly string[] {
  const local = email.slice(0, email.lastIndexOf('@'));
  const words = [loginId, email, local, displayName, ...ofService].flatMap(formsOf);
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** A text, its parts, and its parts joined in other ways; what is Korean also by its keys. */
function formsOf(text: string): readonly string[] {
  const normal = text.normalize('NFKC').toLowerCase();
  const parts = normal.split(SEPARATORS);
  return [normal, ...parts, ...JOINED_BY.map((separator) => parts.join(separator))]
    .filter((word) => word.length >= (hasHangul(word) ? MIN_SYLLABLES : MIN_LENGTH) && word.length <= MAX_LENGTH)
    .flatMap((word) => (hasHangul(word) ? [word, latinKeys(word).toLowerCase()] : [word]));
}
