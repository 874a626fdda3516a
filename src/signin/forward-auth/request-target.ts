/** The target of a request to an application. */
export interface RequestTarget {
  /** Path and query as the browser sent them. */
  readonly uri: string;
  /** Decoded. */
  readonly path: string;
}

const MAX_PATH = 4096;
/** Maximum length of the address to which a sign-in returns: percent-encoded in a query, it fits into the 8 KB that proxies accept. */
export const MAX_RETURN = 2048;
/** Origin form (RFC 9112 section 3.2.1): visible ASCII without a fragment. */
const ORIGIN_FORM = /^\/[\x21\x22\x24-\x7e]*$/;
/** Separators that some applications decode before they split a path, and others after it. */
const ENCODED_SEPARATOR = /%(?:2e|2f|5c|3b|3f|23)/i;
/** Characters of a decoded path that applications drop, read as a slash, or decode a second time. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\\]|\/\/|%[\da-f]{2}/iu;

/** Parses a request target; undefined for one that an application may read as another path than this service. */
export function requestTarget(uri: string): RequestTarget | undefined {
  if (!ORIGIN_FORM.test(uri)) return undefined;
  const [encoded = ''] = uri.split('?', 1);
  const path = encoded.length > MAX_PATH || ENCODED_SEPARATOR.test(encoded) ? undefined : decoded(encoded);
  if (path === undefined || isMisleading(plain(path))) return undefined;
  return { uri, path };
}

/** Where a sign-in returns to: a long address without its query, or the first page if the path alone is too long. */
export function returnUri({ uri }: RequestTarget): string {
  return [uri, ...uri.split('?', 1)].find(({ length }) => length <= MAX_RETURN) ?? '/';
}

/** The plain path as the most lenient applications read it: without parameters of segments, capitals, and dots and blanks at their ends. */
export function lenientPath(path: string): string {
  const segments = plain(path)
    .split('/')
    .map((segment) => withoutParameters(segment).replaceAll(/^\s+|[.\s]+$/g, ''));
  const lenient = `/${segments.filter((segment) => segment !== '').join('/')}`;
  // Programs that compare capitals equate a dotless i and a long s with i and s.
  return lenient.toUpperCase().toLowerCase();
}

/** The path without invisible characters (Default_Ignorable_Code_Point), in Unicode normalization form NFKC. */
function plain(path: string): string {
  return path.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

function isMisleading(path: string): boolean {
  return MISLEADING.test(path) || path.split('/').some(isDots);
}

/** A relative segment, also one with parameters (RFC 3986 section 3.3). */
function isDots(segment: string): boolean {
  return /^\.{1,2}$/.test(withoutParameters(segment).trim());
}

function withoutParameters(segment: string): string {
  return segment.replace(/;.*$/s, '');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
