/** Characters. */
const MAX_LENGTH = 1024;
/** What browsers drop or read as a slash, wherever it stands; line ends of Unicode beside the control characters. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\\]|\/\//u;

/**
 * Where to send a browser afterwards: `returnTo` where it is a path inside of `contextPath` and nothing else, however often
 * it is decoded on its way (authentication.md 2.10); the start page otherwise. Both are as they stand in `Location`.
 */
export function safeReturnPath(returnTo: string | undefined, contextPath: string): string {
  return returnTo !== undefined && isOwnPath(returnTo, contextPath) ? returnTo : `${contextPath}/`;
}

function isOwnPath(text: string, contextPath: string): boolean {
  // What stands in a header and needs no encoding: so nothing is dropped or changed between here and the browser.
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

/** Undefined where escapes stand for no text, such as an overlong slash, at whatever depth. */
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
