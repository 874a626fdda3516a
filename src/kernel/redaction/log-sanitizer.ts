import { MASK, isSecretName, SECRET_ENDINGS, SHORT_SECRET_WORDS } from './secrets.js';

/** Further names of secrets in requests and other programs. */
const OTHERS = 'pass(?:words|phrases)?|pw|secrets|credential|assertion|SAMLRe(?:quest|sponse)|RelayState';
/**
 * Words that end the name of a secret in a text, including those of configuration keys. Error codes such as
 * `INVALID_TOKEN: …` are not names.
 */
const SECRET_WORDS = `(?<!INVALID_)(?:${SECRET_ENDINGS}|${OTHERS})`;
/**
 * The end of a name such as `BASIC_AUTH` or `REGISTRY_AUTH_JSON`. It counts only after `_` and in capitals, because these
 * words also name harmless things, such as the logger `auth`.
 */
const VARIABLE_WORDS = `(?<=_)(?:${SHORT_SECRET_WORDS.join('|').toUpperCase()})(?:_[A-Z\\d]{1,40}){0,4}`;
const VARIABLE_FIELD = new RegExp(`${VARIABLE_WORDS}$`);
/** The same words at the end of a field name; headers in texts have their own rule. */
const SECRET_FIELD = new RegExp(`(?:${SECRET_WORDS}|authorization|cookies?)$`, 'i');
/** Separates name and value: `name=`, `name: `, `"name":`, `a[name]=`, also in JSON or a URL inside another text. */
const BETWEEN = `\\\\{0,7}["'\`]?(?:\\[\\d{0,4})?\\]?\\s{0,12}(?:=>|[:=]|%3[ad])\\s{0,12}`;
/** An unquoted value without brackets ends with its word. */
const QUOTED = `"(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?|\\\\+"[^"]*"?`;
const VALUE = `(?:${QUOTED}|\\[[^\\]\\n]*\\]?|\\{[^}\\n]*\\}?|[^\\s"',;&)}\\]]+)`;
/** Header values contain blanks, so the rest of the line, quoted text or list is masked. */
const HEADER_VALUE = `(?:${QUOTED}|\\[[^\\]\\n]*\\]?|[^"'[\\r\\n][^\\r\\n]*)`;

/** Patterns of secrets and their replacements. Each expression runs in time linear in the length of the text. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z\d ]{0,40}PRIVATE KEY-----|$)/g, MASK],
  [/\b(otpauth(?:-migration)?:\/\/)[^\s"'<>]*/gi, `$1${MASK}`],
  [new RegExp(`\\b((?:proxy-)?authorization|(?:set-)?cookie)(${BETWEEN})${HEADER_VALUE}`, 'gi'), `$1$2${MASK}`],
  // The password of a URL may contain characters that should be encoded; `host:3306/` is no password.
  [/\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#]{1,400}@/gi, `$1${MASK}@`],
  [/\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s:/?#@[\]]{0,200}:(?!\d{0,5}(?:[/?#,\s]|$))[^@\s]{0,200}@/gi, `$1${MASK}@`],
  // JWS, whose header begins with `{"`, and JWE with five parts. A longer header is masked as a random word anyway; without
  // the limit, each `ey` in a hostile text would scan to its end.
  [/\bey[A-Z][\w-]{6,400}\.[\w-]*(?:\.[\w-]*){0,3}/g, MASK],
  // A word of lower case letters only is part of a sentence.
  [
    /\b([Bb]earer|BEARER|[Bb]asic|BASIC|D[Pp]o[Pp]|[Nn]egotiate)(\s{1,3})(?![a-z]+(?![\w.~+/=-]))[\w.~+/=-]{6,}/g,
    `$1$2${MASK}`,
  ],
  [new RegExp(`((?:${SECRET_WORDS})${BETWEEN})${VALUE}`, 'gi'), `$1${MASK}`],
  [new RegExp(`(${VARIABLE_WORDS}${BETWEEN})${VALUE}`, 'g'), `$1${MASK}`],
  [/\b(SESSION=)[^\s"';,]+/g, `$1${MASK}`],
  // The single word `key` is too common: only `api-key`, `privateKey` and the like.
  [new RegExp(`((?<=[\\w.-])key${BETWEEN})${VALUE}`, 'gi'), `$1${MASK}`],
  [new RegExp(`((?:code|otp)${BETWEEN}\\\\{0,7}["']?)(?:\\d{6,8}|[\\dA-Z]{4}-?[\\dA-Z]{4})\\b`, 'gi'), `$1${MASK}`],
  [/\$(?:argon2[a-z]{0,2}|2[abxy]|scrypt|pbkdf2[\w-]{0,20}|[156y])\$[^\s"';]+/g, MASK],
  // Backup codes: characters of Crockford's Base32 with at least one letter.
  [/(?<![\w-])(?=[\d-]{0,8}[A-Z])[\dA-HJKMNP-TV-Z]{4}-[\dA-HJKMNP-TV-Z]{4}(?![\w-])/g, MASK],
  // Random words: TOTP secrets in Base32, keys in hexadecimal or Base64, refresh tokens.
  [/\b[A-Z2-7]{32,}\b/g, MASK],
  [/\b[\da-f]{64,}\b/gi, MASK],
  [/(?<![\w+/])[\w+/]{42,}={1,2}/g, MASK],
  [/(?<![\w-])(?=[A-Za-z_-]{0,60}\d)(?=[\dA-Z_-]{0,60}[a-z])(?=[\da-z_-]{0,60}[A-Z])[\w-]{32,}/g, MASK],
];

/** The id of an account or a session in lower case, which no pattern masks. */
const UUID = '(?-i:[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12})(?![\\w+/-])';
/** A quick test that most lines fail, so that the patterns are not tried. */
const SUSPICIOUS = new RegExp(
  [
    'ey[A-Z]|://|PRIVATE KEY|\\$|authorization|cookie|SESSION=',
    '\\b(?:bearer|basic|dpop|negotiate)\\s',
    `(?:${SECRET_WORDS}|key|code|otp)${BETWEEN}`,
    `_(?:${SHORT_SECRET_WORDS.join('|')})`,
    `(?<![\\w-])[\\dA-Z]{4}-[\\dA-Z]{4}(?![\\w-])|(?<![\\w+/-])(?!${UUID})[\\w+/-]{32}`,
  ].join('|'),
  'i',
);

/** The search for secrets is limited to this length; the rest is cut off without being shown. */
const MAX_READ_LENGTH = 16_384;
/** Part of a secret at the cut would not be recognised, so the last word is dropped. */
const UNSURE_END = 4096;
export const CUT = '... (cut)';

/** Masks everything in an untrusted text that looks like a secret. */
export function sanitizeText(text: string): string {
  if (text.length <= MAX_READ_LENGTH) return maskSecrets(text);
  return maskSecrets(text.slice(0, MAX_READ_LENGTH)).slice(0, -UNSURE_END) + CUT;
}

function maskSecrets(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let shown = text;
  for (const [form, left] of FORMS) shown = shown.replace(form, left);
  return shown;
}

/** Names in objects of callers are not limited, so only some short ones are remembered. */
const MAX_KNOWN_NAMES = 500;
const MAX_KNOWN_LENGTH = 60;
const knownNames = new Map<string, boolean>();

/** True if the name of a field is that of a secret. */
function isSecretField(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const isSecret = isSecretName(name) || SECRET_FIELD.test(name) || VARIABLE_FIELD.test(name);
  if (knownNames.size < MAX_KNOWN_NAMES && name.length <= MAX_KNOWN_LENGTH) knownNames.set(name, isSecret);
  return isSecret;
}

/** Members of a field below this depth are omitted. */
const MAX_DEPTH = 4;
const MAX_MEMBERS = 50;

/** Prepares a field for the log: masked if its name is that of a secret, otherwise its texts are masked by their form. */
export function sanitizeField(name: string, value: unknown, depth = 0): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  if (isSecretField(name)) return MASK;
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

/** Masks a one-time code, but not an error code such as `RATE_LIMITED`. */
function sanitizeCode(value: string): string {
  const name = 'code=';
  return sanitizeText(name + value).slice(name.length);
}
