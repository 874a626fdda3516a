/** Maximum length of a target in characters. */
const MAX_LENGTH = 1024;
/** Characters that browsers drop or read as a slash anywhere, and Unicode line ends beside the control characters. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\\]|\/\//u;

/**
 * The page to redirect a browser to: `returnTo` if it is a path inside of `contextPath` however often it is decoded
 * (authentication.md 2.10), otherwise the home page. Both are returned as they are written into `Location`.
 */
export function safeReturnPath(returnTo: string | undefined, contextPath: string): string {
  return returnTo !== undefined && isOwnPath(returnTo, contextPath) ? returnTo : `${contextPath}/`;
}

function isOwnPath(text: string, contextPath: string): boolean {
  // Allows only characters that need no encoding in a header, so that the browser gets the target unchanged.
  if (text.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(text)) return false;
  if (!text.startsWith(`${contextPath}/`)) return false;
  const decoded = fullyDecoded(text);
  if (decoded === undefined || MISLEADING.test(decoded)) return false;
  const path = fullyDecoded(text.replace(/[?#].*$/s, ''));
  // After another decoding, an encoded `?` or `#` would end the path earlier: `/..%23` would become the step `/..`.
  if (path === undefined || /[?#]/.test(path)) return false;
  // A URL parser drops spaces at the end, so `/..%20` would become a step, too.
  return path.split('/').every((segment) => !['.', '..'].includes(segment.trimEnd()));
}

/**
 * Decodes a text until it has no escapes; undefined if the escapes are not valid UTF-8 at any depth, such as an
 * overlong slash.
 */
function fullyDecoded(text: string): string | undefined {
  let decoded = text;
  try {
    // Each round shortens the text.
    while (/%[\da-f]{2}/i.test(decoded)) decoded = decoded.replaceAll(/(?:%[\da-f]{2})+/gi, decodeURIComponent);
  } catch {
    return undefined;
  }
  return decoded;
}

/**
 * The address of another application to redirect a browser to, as it is written into `Location`: `returnTo` in the form of the
 * URL standard if its origin is an allowed one, otherwise undefined.
 */
export function safeReturnUrl(returnTo: string | undefined, allowedOrigins: readonly string[]): string | undefined {
  if (returnTo === undefined || returnTo.length > MAX_LENGTH) return undefined;
  // A backslash is a slash to browsers, and other characters would change on the way to the browser.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(returnTo)) return undefined;
  // Requires two slashes and a host: otherwise browsers would read a path or skip slashes.
  const url = /^https?:\/\/[^/]/i.test(returnTo) ? URL.parse(returnTo) : null;
  if (url?.username !== '' || url.password !== '' || !allowedOrigins.includes(url.origin)) return undefined;
  // An address that names the origin as browsers write it needs no change.
  return returnTo === url.origin ||
    (/^[/?#]/.test(returnTo.slice(url.origin.length)) && returnTo.startsWith(url.origin))
    ? returnTo
    : url.href;
}
