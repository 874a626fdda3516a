import { MASK, isSecretName, SECRET_ENDINGS, SHORT_SECRET_WORDS } from './secrets.js';

/** What requests and other programs call their secrets. */
const OTHERS = 'pass(?:words|phrases)?|pw|secrets|credential|assertion|SAMLRe(?:quest|sponse)|RelayState';
/**
 * Words at the end of a name whose value is a secret, wherever the two stand together in a text, those of keys among
 * them. Codes of errors such as `INVALID_TOKEN: …` are no names.
 */
const SECRET_WORDS = `(?<!INVALID_)(?:${SECRET_ENDINGS}|${OTHERS})`;
/**
 * The end of a name such as `BASIC_AUTH` or `REGISTRY_AUTH_JSON`: behind `_` and in capitals alone, since these words also
 * name plain things, such as the logger `auth`.
 */
const VARIABLE_WORDS = `(?<=_)(?:${SHORT_SECRET_WORDS.join('|').toUpperCase()})(?:_[A-Z\\d]{1,40}){0,4}`;
const VARIABLE_FIELD = new RegExp(`${VARIABLE_WORDS}$`);
/** The same as the end of the name of a field; in texts, headers have a rule of their own. */
const SECRET_FIELD = new RegExp(`(?:${SECRET_WORDS}|authorization|cookies?)$`, 'i');
/** Behind `name=`, `name: `, `"name":`, `a[name]=` and the like, also where a text of JSON or a URL stands in another one. */
const BETWEEN = `\\\\{0,7}["'\`]?(?:\\[\\d{0,4})?\\]?\\s{0,12}(?:=>|[:=]|%3[ad])\\s{0,12}`;
/** What is neither quoted nor in brackets ends with the word. */
const QUOTED = `"(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?|\\\\+"[^"]*"?`;
const VALUE = `(?:${QUOTED}|\\[[^\\]\\n]*\\]?|\\{[^}\\n]*\\}?|[^\\s"',;&)}\\]]+)`;
/** Headers hold blanks: all of the line, of the quoted text or of the list. */
const HEADER_VALUE = `(?:${QUOTED}|\\[[^\\]\\n]*\\]?|[^"'[\\r\\n][^\\r\\n]*)`;

/** What secrets look like, and what is left of them. No expression goes over a text more than once for each of its words. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z\d ]{0,40}PRIVATE KEY-----|$)/g, MASK],
  [/\b(otpauth(?:-migration)?:\/\/)[^\s"'<>]*/gi, `$1${MASK}`],
  [new RegExp(`\\b((?:proxy-)?authorization|(?:set-)?cookie)(${BETWEEN})${HEADER_VALUE}`, 'gi'), `$1$2${MASK}`],
  // The password of a URL may hold what should have been encoded; `host:3306/` is none.
  [/\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#]{1,400}@/gi, `$1${MASK}@`],
  [/\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s:/?#@[\]]{0,200}:(?!\d{0,5}(?:[/?#,\s]|$))[^@\s]{0,200}@/gi, `$1${MASK}@`],
  // Both of the JSON Web Signature, whose header begins with `{"`, and of the Encryption with its five parts. Longer
  // headers look like words without meaning anyway; without a limit, each `ey` of a hostile text would read it all.
  [/\bey[A-Z][\w-]{6,400}\.[\w-]*(?:\.[\w-]*){0,3}/g, MASK],
  // A word of lower case letters alone is one of a sentence.
  [
    /\b([Bb]earer|BEARER|[Bb]asic|BASIC|D[Pp]o[Pp]|[Nn]egotiate)(\s{1,3})(?![a-z]+(?![\w.~+/=-]))[\w.~+/=-]{6,}/g,
    `$1$2${MASK}`,
  ],
  [new RegExp(`((?:${SECRET_WORDS})${BETWEEN})${VALUE}`, 'gi'), `$1${MASK}`],
  [new RegExp(`(${VARIABLE_WORDS}${BETWEEN})${VALUE}`, 'g'), `$1${MASK}`],
  [/\b(SESSION=)[^\s"';,]+/g, `$1${MASK}`],
  // A word of its own is too common: only `api-key`, `privateKey` and the like.
  [new RegExp(`((?<=[\\w.-])key${BETWEEN})${VALUE}`, 'gi'), `$1${MASK}`],
  [new RegExp(`((?:code|otp)${BETWEEN}\\\\{0,7}["']?)(?:\\d{6,8}|[\\dA-Z]{4}-?[\\dA-Z]{4})\\b`, 'gi'), `$1${MASK}`],
  [/\$(?:argon2[a-z]{0,2}|2[abxy]|scrypt|pbkdf2[\w-]{0,20}|[156y])\$[^\s"';]+/g, MASK],
  // Backup codes; letters of Crockford's Base32, at least one of them.
  [/(?<![\w-])(?=[\d-]{0,8}[A-Z])[\dA-HJKMNP-TV-Z]{4}-[\dA-HJKMNP-TV-Z]{4}(?![\w-])/g, MASK],
  // Base32 of TOTP secrets, hexadecimal and Base64 keys, and other words without meaning, such as refresh tokens.
  [/\b[A-Z2-7]{32,}\b/g, MASK],
  [/\b[\da-f]{64,}\b/gi, MASK],
  [/(?<![\w+/])[\w+/]{42,}={1,2}/g, MASK],
  [/(?<![\w-])(?=[A-Za-z_-]{0,60}\d)(?=[\dA-Z_-]{0,60}[a-z])(?=[\da-z_-]{0,60}[A-Z])[\w-]{32,}/g, MASK],
];

/** Most lines hold nothing like it: one look tells. */
const SUSPICIOUS = new RegExp(
  [
    'ey[A-Z]|://|PRIVATE KEY|\\$|authorization|cookie|SESSION=',
    '\\b(?:bearer|basic|dpop|negotiate)\\s',
    `(?:${SECRET_WORDS}|key|code|otp)${BETWEEN}`,
    `_(?:${SHORT_SECRET_WORDS.join('|')})`,
    '[\\dA-Z]{4}-[\\dA-Z]{4}|(?<![\\w+/-])[\\w+/-]{32}',
  ].join('|'),
  'i',
);

/** Looking for secrets takes its time: nobody looks further, nor shows what was not looked at. */
const MAX_READ_LENGTH = 16_384;
/** Half a secret at the end of what was read would look like none. */
const UNSURE_END = 4096;
export const CUT = '... (cut)';

/** A text of whomever with all that looks like a secret masked. */
export function sanitizeText(text: string): string {
  if (text.length <= MAX_READ_LENGTH) return masked(text);
  return masked(text.slice(0, MAX_READ_LENGTH)).slice(0, -UNSURE_END) + CUT;
}

function masked(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let shown = text;
  for (const [form, left] of FORMS) shown = shown.replace(form, left);
  return shown;
}

/** Deeper members of a field say nothing more. */
const MAX_DEPTH = 4;
const MAX_MEMBERS = 50;

/** A field of a line as it may be written: masked where its name says so, and its texts by their form. */
export function sanitizeField(name: string, value: unknown, depth = 0): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  if (isSecretName(name) || SECRET_FIELD.test(name) || VARIABLE_FIELD.test(name)) return MASK;
  if (typeof value === 'string') return /(?:code|otp)$/i.test(name) ? sanitizeCode(value) : sanitizeText(value);
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object') return typeof value;
  if (value instanceof Error) return sanitizeText(`${value.name}: ${value.message}`);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (depth >= MAX_DEPTH) return '...';
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map((item) => sanitizeField(name, item, depth + 1));
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  const members = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    members.slice(0, MAX_MEMBERS).map(([key, item]): [string, unknown] => {
      return [sanitizeText(String(key)), sanitizeField(String(key), item, depth + 1)];
    }),
  );
}

/** One of a person, not one of an error. */
function sanitizeCode(value: string): string {
  const name = 'code=';
  return sanitizeText(name + value).slice(name.length);
}
