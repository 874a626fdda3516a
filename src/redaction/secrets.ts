/** What stands in place of a value that is not shown. */
export const MASK = '******';

/** What names of secrets end in, over `key`: the one list of keys, fields and texts, as alternatives of an expression. */
export const SECRET_ENDINGS = 'password|passwd|pwd|secret|token|credentials|passphrase|pepper';
const SECRET_WORDS = `${SECRET_ENDINGS}|key`;
const SECRET_NAME = new RegExp(`(?:${SECRET_WORDS})$`, 'i');
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const LIST_INDEX = /(?:\[\d{1,9}\]|[._]\d{1,9}_?){1,9}$/;
/** `DB_PASS`, `TOKEN_URL`, `aws.secret.id`: of a name that is not ours, each word counts. */
const SECRET_WORD = new RegExp(`(?:pass|pw|creds|credential|authorization|${SECRET_WORDS})s?(?=[^a-z\\d]|$)`, 'i');
/** Words too short to be looked for inside of others: `BASIC_AUTH` and `githubPat` have one, `PATH` and `author` none. */
export const SHORT_SECRET_WORDS = ['auth', 'pat', 'jwt', 'bearer', 'pin'] as const;
const SHORT_WORD = new RegExp(
  SHORT_SECRET_WORDS.flatMap((word) => [
    `(?<![A-Za-z])${word}(?![a-z])`,
    `(?<![A-Z])${word.charAt(0).toUpperCase()}${word.slice(1)}(?![a-z])`,
    `(?<![A-Za-z])${word.toUpperCase()}(?![A-Za-z])`,
  ]).join('|'),
);
/** `password: …` or `keyStorePassword=…` in the middle of a text. */
const SECRET_ASSIGNMENT = new RegExp(`(?:pass|${SECRET_WORDS})s?["']?[ \\t]*[=:](?!\\*{6})`, 'i');

/** `user:password@host`, whatever is or is not in front of it. */
const ACCOUNT = /[^\s/'"@:]:[^\s/'"@]{1,400}@/;
/** Of `Authorization`. */
const CREDENTIALS = /\b(?:basic|bearer)\s+[\w.~+/-]{6}/i;

/**
 * The fixed rule of the management API, "Masking", for keys and for the names of variables, in any spelling; and the
 * pepper of the backup codes, which no word of it would hide.
 */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(LIST_INDEX, '').replaceAll(/[^a-z\d.]/gi, ''));
}

/** True for the name of a variable or key of somebody else that may be a secret, rather too often than not. */
export function mayBeSecretName(name: string): boolean {
  return SECRET_WORD.test(name) || SHORT_WORD.test(name);
}

/** Of what a placeholder names: a key has the name we gave it, a variable that of somebody else. */
function leadsToSecret(name: string): boolean {
  return isSecretName(name) || (!name.includes('.') && mayBeSecretName(name));
}

/** True for a text with a private key in PEM form. */
export function containsPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}

/** True for a text of somebody else that may hold a secret: a whole document, options of another program, a header. */
export function mayContainSecret(text: string): boolean {
  const masked = sanitizeUrls(text);
  return [SECRET_ASSIGNMENT, ACCOUNT, CREDENTIALS].some((form) => form.test(masked));
}

// Texts of callers are looked through as well: none of these reads on to the end from each letter of one.
// A password that should have been percent-encoded (`/`, `?`, `#` or a blank in it) hides too; `host:3306/` is no user.
const USER_PART = /(\/\/)(?:[^\s/?#]+@|[^\s:/?#@[\]]*:(?!\d{0,9}(?:[/?#,]|$))[^@\n]{0,400}@)/g;
const SECRET_PARAMETER = new RegExp(`([?&;][^?=&;\\s]*(?:pass|${SECRET_WORDS})=)[^&\\n]*`, 'gi');
/** `(host=db,password=…)`, as database URLs with several hosts have it. */
const SECRET_PROPERTY = new RegExp(`([(,][^=(),\\s]*(?:${SECRET_WORDS})=)[^(),\\n]*`, 'gi');
/** A placeholder up to the default, with at most one level of placeholders in its name. */
const BEFORE_DEFAULT = /\$\{[^${}:]*(?:\$\{[^{}]*\}[^${}:]*)*:/g;

/** Hides the user part of every URL in a text, and parameters named like secrets. */
export function sanitizeUrls(text: string): string {
  return text
    .replaceAll(USER_PART, `$1${MASK}@`)
    .replaceAll(SECRET_PARAMETER, `$1${MASK}`)
    .replaceAll(SECRET_PROPERTY, `$1${MASK}`);
}

/** The text as it may be shown: whole, without the credentials in its URLs, or not at all. */
export function sanitizeValue(text: string, isSecret: boolean, through: readonly string[] = []): string {
  if (isSecret || through.some(leadsToSecret) || containsPrivateKey(text)) return text === '' ? '' : MASK;
  return sanitizeUrls(text);
}

/** The same for a text whose placeholders are not filled in: a mere `${NAME}` is no secret, its default may be one. */
export function sanitizeUnresolved(text: string, isSecret: boolean): string {
  if (/^\$\{[^:{}]+\}$/.test(text)) return text;
  for (const { 0: start, index } of text.matchAll(BEFORE_DEFAULT)) {
    if (leadsToSecret(start.slice(0, -1))) return sanitizeValue(text.slice(0, index), isSecret) + MASK;
  }
  return sanitizeValue(text, isSecret);
}
