/** Replaces a value that is not shown. */
export const MASK = '******';

/** Endings of names of secrets besides `key`, for keys, fields and texts, as alternatives of an expression. */
export const SECRET_ENDINGS = 'password|passwd|pwd|secret|token|credentials|passphrase|pepper';
const SECRET_WORDS = `${SECRET_ENDINGS}|key`;
const SECRET_NAME = new RegExp(`(?:${SECRET_WORDS})$`, 'i');
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const BASE64 = /^(?:\s*base64:)?([\w+/=\s-]{40,})$/;
/**
 * Beginning of a private key in DER: PKCS #8 and PKCS #1 (version 0 or 1), SEC 1 (version 1), PKCS #12 (version 3), and
 * the algorithm of an encrypted key (PKCS #5, PKCS #12). Certificates and public keys begin otherwise.
 */
const PRIVATE_KEY_DER =
  /^30(?:[0-7].|81..|82.{4}|83.{6})(?:02010[013]|30(?:[0-7].|81..)06(?:092a864886f70d0105|0a2a864886f70d010c01))/;
const DER_HEAD = 32;
const LIST_INDEX = /(?:\[\d{1,9}\]|[._]\d{1,9}_?){1,9}$/;
/** Words anywhere in a foreign name, such as `DB_PASS`, `TOKEN_URL`, `aws.secret.id`. */
const SECRET_WORD = new RegExp(`(?:pass|pw|creds|credential|authorization|${SECRET_WORDS})s?(?=[^a-z\\d]|$)`, 'i');
/** Words too short to match inside other words: `BASIC_AUTH` and `githubPat` contain one, `PATH` and `author` do not. */
export const SHORT_SECRET_WORDS = ['auth', 'pat', 'jwt', 'bearer', 'pin'] as const;
const SHORT_WORD = new RegExp(
  SHORT_SECRET_WORDS.flatMap((word) => [
    `(?<![A-Za-z])${word}(?![a-z])`,
    `(?<![A-Z])${word.charAt(0).toUpperCase()}${word.slice(1)}(?![a-z])`,
    `(?<![A-Za-z])${word.toUpperCase()}(?![A-Za-z])`,
  ]).join('|'),
);
/** `password: …` or `keyStorePassword=…` inside a text. */
const SECRET_ASSIGNMENT = new RegExp(`(?:pass|${SECRET_WORDS})s?["']?[ \\t]*[=:](?!\\*{6})`, 'i');

/** `user:password@host`, with or without a scheme. */
const ACCOUNT = /[^\s/'"@:]:[^\s/'"@]{1,400}@/;
/** Credentials of the `Authorization` header. */
const CREDENTIALS = /\b(?:basic|bearer)\s+[\w.~+/-]{6}/i;

/**
 * The rule of the management API, "Masking", for keys and names of variables in any spelling, plus the pepper of the
 * backup codes, which that rule would not mask.
 */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(LIST_INDEX, '').replaceAll(/[^a-z\d.]/gi, ''));
}

/** Endings of names of columns and parameters that hold a secret, its hash or its sealed form. */
const SECRET_COLUMN =
  /(?:hash|code|otp|sealed|sealed_?successor|replaced_?by|jti|relay_?state|name_?id|assertion|cookie)$/i;
/** The position of a value in a list, and the member of an object. */
const POSITION = /(?:\[\d+\])+$/;

/** True if the value of a column or of a parameter must not be shown; in doubt it returns true. */
export function isSecretColumn(name: string): boolean {
  const plain = name.replace(POSITION, '');
  return isSecretName(plain) || SECRET_COLUMN.test(plain);
}

/** True if the name of a foreign variable or key may be that of a secret; in doubt it returns true. */
export function mayBeSecretName(name: string): boolean {
  return SECRET_WORD.test(name) || SHORT_WORD.test(name);
}

/** Applies to the name in a placeholder, which is one of our keys or a foreign variable. */
function leadsToSecret(name: string): boolean {
  return isSecretName(name) || (!name.includes('.') && mayBeSecretName(name));
}

/** True for a text with a private key in PEM form, or a private key or key store in Base64, with or without `base64:`. */
export function containsPrivateKey(text: string): boolean {
  if (PRIVATE_KEY.test(text)) return true;
  const [, encoded] = BASE64.exec(text) ?? [];
  if (encoded === undefined) return false;
  const bytes = Buffer.from(encoded, 'base64');
  return (
    PRIVATE_KEY_DER.test(bytes.subarray(0, DER_HEAD).toString('hex')) || PRIVATE_KEY.test(bytes.toString('latin1'))
  );
}

/** True if a foreign text may contain a secret: a whole document, options of another program, a header. */
export function mayContainSecret(text: string): boolean {
  const masked = sanitizeUrls(text);
  return [SECRET_ASSIGNMENT, ACCOUNT, CREDENTIALS].some((form) => form.test(masked));
}

// These expressions also run on texts of callers, so each takes linear time.
// A password that is not percent-encoded (`/`, `?`, `#` or a blank in it) is masked too; `host:3306/` is not a user.
const USER_PART = /(\/\/)(?:[^\s/?#]+@|[^\s:/?#@[\]]*:(?!\d{0,9}(?:[/?#,]|$))[^@\n]{0,400}@)/g;
const SECRET_PARAMETER = new RegExp(`([?&;][^?=&;\\s]*(?:pass|${SECRET_WORDS})=)[^&\\n]*`, 'gi');
/** `(host=db,password=…)` in database URLs with several hosts. */
const SECRET_PROPERTY = new RegExp(`([(,][^=(),\\s]*(?:${SECRET_WORDS})=)[^(),\\n]*`, 'gi');
/** A placeholder up to its default, with at most one level of placeholders in its name. */
const BEFORE_DEFAULT = /\$\{[^${}:]*(?:\$\{[^{}]*\}[^${}:]*)*:/g;

/** Masks the user part of every URL in a text, and parameters named like secrets. */
export function sanitizeUrls(text: string): string {
  return text
    .replaceAll(USER_PART, `$1${MASK}@`)
    .replaceAll(SECRET_PARAMETER, `$1${MASK}`)
    .replaceAll(SECRET_PROPERTY, `$1${MASK}`);
}

/** Prepares a value for display: unchanged, without the credentials in its URLs, or masked completely. */
export function sanitizeValue(text: string, isSecret: boolean, through: readonly string[] = []): string {
  if (isSecret || through.some(leadsToSecret) || containsPrivateKey(text)) return text === '' ? '' : MASK;
  return sanitizeUrls(text);
}

/** Prepares an unresolved text for display: a bare `${NAME}` is shown, but its default may be a secret. */
export function sanitizeUnresolved(text: string, isSecret: boolean): string {
  if (/^\$\{[^:{}]+\}$/.test(text)) return text;
  for (const { 0: start, index } of text.matchAll(BEFORE_DEFAULT)) {
    if (leadsToSecret(start.slice(0, -1))) return sanitizeValue(text.slice(0, index), isSecret) + MASK;
  }
  return sanitizeValue(text, isSecret);
}
