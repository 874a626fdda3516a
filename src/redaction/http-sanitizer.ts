import { MASK, sanitizeUrls, mayContainSecret, isSecretName } from './secrets.js';
import { looksLikeSecret, sanitizePath, sanitizeReferer } from './request-path.js';

/** Headers as they came or went: `headersDistinct` of Node, or what an answer was given. */
export type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Headers as they may be kept: each name in lower case with all its values. */
export type ShownHeaders = Readonly<Record<string, readonly string[]>>;

/** Wherever they stand in a name: proxies make names of their own of them, such as `x-original-cookie`. */
const CREDENTIALS = /authorization|cookie/;
/** In which proxies and delivery networks say who is behind them. */
const ADDRESSES = /^forwarded$|forwarded-for$|(?:real|client|connecting)-ip$/;
/** In a query, over the names that are secret everywhere. */
const SECRET_IN_QUERY = /(?:code|otp|ticket|assertion|signature|session|sid|jwt|bearer|authorization|saml\w*)$/i;

/** The beginning of a signed token: `{"` in Base64url, and a second part. */
const JWS = /\bey[\w-]{1,1000}\.[\w-]+\./;

/** Header names in lower case with their values; none that carries credentials, nor those in URLs. */
export function sanitizeHeaders(headers: Headers): ShownHeaders {
  const kept = Object.entries(headers).flatMap(([sent, value]): [string, readonly string[]][] => {
    const name = sent.toLowerCase();
    if (value === undefined || CREDENTIALS.test(name) || isSecretName(name)) return [];
    return [[name, [value].flat().map((each) => valueWithoutSecrets(name, String(each)))]];
  });
  return Object.fromEntries(kept);
}

/** Leaves out those that tell where a caller is. */
export function dropAddressHeaders(headers: ShownHeaders): ShownHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ADDRESSES.test(name)));
}

/** A request target as it may be kept: no token in its path, and no value of its query that is or is named like one. */
export function sanitizeTarget(target: string): string {
  const at = target.indexOf('?');
  return sanitizeUrls(sanitizePath(target)) + (at < 0 ? '' : queriesMasked(target.slice(at)));
}

function valueWithoutSecrets(name: string, value: string): string {
  if (name === 'referer') return sanitizeReferer(value);
  return JWS.test(value) ? MASK : queriesMasked(value);
}

/** Whatever stands behind a question mark is taken for a query. */
function queriesMasked(text: string): string {
  const [path = '', ...queries] = text.split('?');
  const masked = queries.map((query) => query.split('&').map(withoutSecret).join('&'));
  return sanitizeUrls([path, ...masked].join('?'));
}

function withoutSecret(pair: string): string {
  const at = pair.indexOf('=');
  const sent = at < 0 ? '' : pair.slice(0, at + 1);
  // As whoever reads the query decodes it.
  const [[name, value] = ['', '']] = new URLSearchParams(at < 0 ? `=${pair}` : pair);
  const isSecret = isSecretName(name) || SECRET_IN_QUERY.test(name) || looksLikeSecret(value) || holdsSecret(value);
  return isSecret ? `${sent}${MASK}` : pair;
}

/** Such as another URL that is encoded whole, or a text of JSON. */
function holdsSecret(value: string): boolean {
  return mayContainSecret(value) || queriesMasked(value) !== value;
}
