/** The target of a request to an application. */
export interface RequestTarget {
  /** Path and query as the browser sent them. */
  readonly uri: string;
  /** Decoded. */
  readonly path: string;
}

const MAX_LENGTH = 4096;
/** Origin form (RFC 9112 section 3.2.1): visible ASCII without a fragment. */
const ORIGIN_FORM = /^\/[\x21\x22\x24-\x7e]*$/;
/** Separators that some applications decode before they split a path, and others after it. */
const ENCODED_SEPARATOR = /%(?:2e|2f|5c|3b|3f|23)/i;
/** What applications drop, read as a slash or decode once more. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\\]|\/\/|%[\da-f]{2}/iu;

/** Parses a request target; undefined for one that an application may read as another path than this service. */
export function requestTarget(uri: string): RequestTarget | undefined {
  if (uri.length > MAX_LENGTH || !ORIGIN_FORM.test(uri)) return undefined;
  const [encoded = ''] = uri.split('?', 1);
  const path = ENCODED_SEPARATOR.test(encoded) ? undefined : decoded(encoded);
  if (path === undefined || MISLEADING.test(path) || path.split('/').some(isDots)) return undefined;
  return { uri, path };
}

/** The path as the most lenient applications read it: without parameters of segments, capitals, and dots and blanks at their ends. */
export function lenientPath(path: string): string {
  const segments = path.split('/').map((segment) =>
    withoutParameters(segment)
      .replace(/[. ]+$/, '')
      .toLowerCase(),
  );
  return `/${segments.filter((segment) => segment !== '').join('/')}`;
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
