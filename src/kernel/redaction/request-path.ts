/** Maximum length of a path or another text of a caller, in characters; the rest is cut off. */
const MAX_PATH_LENGTH = 1024;
const MAX_READ_LENGTH = 2048;
const MAX_TEXT_LENGTH = 512;
const LEFT_OFF = '...';

/** Maximum length of a segment that is shown whole: paths of the service have shorter ones, and its tokens are longer. */
const MAX_SEGMENT_LENGTH = 40;
const MIN_SECRET_LENGTH = 20;
/** Number of characters of a token that are shown, to tell its kind. */
const SHOWN_OF_SECRET = 6;
/**
 * A JWS (its first part is Base64url of `{"`), a mix of letters and digits that is neither a word nor a UUID, or a text as
 * long as a TOTP secret in Base32, which has no digit in one of 770 cases.
 */
const LIKE_SECRET = /^ey[\w-]+\.[\w-]+\.|(?=[a-z_]{0,19}\d)(?=[\d_]{0,19}[a-z])\w{20}|[a-z\d]{32}/i;

/** Characters outside printable ASCII, quotation marks and backslashes. */
const QUOTED_UNSAFE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;
/** The same and the space, which ends an unquoted text. */
const UNQUOTED_UNSAFE = /[^\x21\x23-\x5b\x5d-\x7e]/g;

/**
 * True if a part of a path or query looks like a token, whatever its name. Shorter words count here than in a log line,
 * because paths contain no sentences.
 */
export function looksLikeSecret(text: string): boolean {
  return LIKE_SECRET.test(text);
}

/** Escapes a text so that it can end neither its word nor its line: `\xHH` for one byte, `\u{H…}` for more. */
export function escapeLogText(text: string, isQuoted: boolean): string {
  return text.replace(isQuoted ? QUOTED_UNSAFE : UNQUOTED_UNSAFE, (char) => {
    const code = char.charCodeAt(0).toString(16).toUpperCase();
    return code.length > 2 ? `\\u{${code}}` : `\\x${code.padStart(2, '0')}`;
  });
}

/** Returns the path of a request target without scheme, user, host and query, and with secrets in the path masked. */
export function sanitizePath(target: string): string {
  return sanitizeSegments(target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, ''));
}

/** Returns the URL of a referring page without user, query and fragment. */
export function sanitizeReferer(referer: string): string {
  const [origin = ''] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(referer) ?? [];
  return truncate(origin.replace(/\/\/.*@/, '//')) + sanitizeSegments(referer.slice(origin.length));
}

export function truncate(text: string): string {
  return cut(text, MAX_TEXT_LENGTH);
}

function sanitizeSegments(target: string): string {
  // Part of a secret at the cut would not be recognised.
  const searched =
    target.length > MAX_READ_LENGTH ? target.slice(0, MAX_READ_LENGTH).replace(/[^/]*$/, LEFT_OFF) : target;
  // 3f, 23 and 3b are ?, # and ; of callers that encode too much.
  const path = searched.replace(/(?:[?#]|%(?:25)*(?:3f|23)).*$/is, '');
  if (path.length < MIN_SECRET_LENGTH && !path.includes(';')) return path;
  const shown = path
    .replaceAll(/(?:;|%(?:25)*3b)[^/]*/gi, `;${LEFT_OFF}`)
    .replaceAll(/[^/]{20,}/g, (segment) =>
      segment.length > MAX_SEGMENT_LENGTH || LIKE_SECRET.test(segment) ? cut(segment, SHOWN_OF_SECRET) : segment,
    );
  return cut(shown, MAX_PATH_LENGTH);
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? text.slice(0, maxLength) + LEFT_OFF : text;
}
