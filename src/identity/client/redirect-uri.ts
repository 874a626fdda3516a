const LOOPBACK = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/;

/** Why a text cannot be a redirect URI (RFC 6749 section 3.1.2, RFC 8252); undefined if it can. */
export function redirectUriProblem(written: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(written)) return 'not a URI of visible ASCII characters';
  if (written.includes('*')) return 'a wildcard would let other addresses of the host receive codes';
  if (written.includes('#')) return 'a redirect URI has no fragment';
  const url = URL.parse(written);
  if (!url) return 'not an absolute URI';
  if (url.username !== '' || url.password !== '') return 'a redirect URI has no user information';
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb || url.protocol.includes('.') ? undefined : 'neither http, https nor a private scheme with a dot';
}

/** True for an http URI whose host is not this machine: others on the way can read codes. */
export function isPlainHttpElsewhere(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'http:' && !LOOPBACK.test(url.hostname);
}

/** True if a requested URI is the registered one: character by character, but for the port of a loopback address. */
export function isRedirectUri(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  if (!URL.canParse(requested)) return false;
  const anyPort = withoutLoopbackPort(registered);
  return anyPort !== undefined && anyPort === withoutLoopbackPort(requested);
}

/** A URI of a loopback address, whose port a native application chooses at each start (RFC 8252 section 7.3); undefined for others. */
function withoutLoopbackPort(uri: string): string | undefined {
  const [, host, rest] = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/.exec(uri) ?? [];
  return host === undefined ? undefined : `http://${host}${rest ?? ''}`;
}

/** The origin or scheme to which a form may finally redirect, for `form-action` of Content-Security-Policy. */
export function formActionSource(uri: string): string {
  const { protocol, origin } = new URL(uri);
  if (protocol !== 'http:' && protocol !== 'https:') return protocol;
  return withoutLoopbackPort(uri) === undefined ? origin : origin.replace(/(?::\d+)?$/, ':*');
}
