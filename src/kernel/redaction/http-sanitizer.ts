import { MASK, sanitizeUrls, mayContainSecret, isSecretName } from './secrets.js';
import { looksLikeSecret, sanitizePath, sanitizeReferer } from './request-path.js';

/** Headers of a request or response: `headersDistinct` of Node, or the headers of a reply. */
export type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Recorded headers: each name in lower case with all its values. */
export type ShownHeaders = Readonly<Record<string, readonly string[]>>;

/** Words anywhere in a header name, because proxies derive names such as `x-original-cookie`. */
const CREDENTIALS = /authorization|cookie/;
/** Headers in which proxies and delivery networks name the client. */
const ADDRESSES = /^forwarded$|forwarded-for$|(?:real|client|connecting)-ip$/;
/** Names of secrets in a query, besides those that are secret everywhere. */
const SECRET_IN_QUERY = /(?:code|otp|ticket|assertion|signature|session|sid|jwt|bearer|authorization|saml\w*)$/i;

/** Members of our request and response bodies that hold secrets: a client may send them in a query by mistake. */
const SECRET_MEMBER = /^(?:pw|new_pw|current|new|credential|backup_codes|csrf)(?:\[\d{0,9}\])?$/i;

/** The start of a signed token: `{"` in Base64url, and a second part. */
const JWS = /\bey[\w-]{1,1000}\.[\w-]+\./;

/** Returns headers in lower case without those that carry credentials, and with credentials in URLs masked. */
export function sanitizeHeaders(headers: Headers): ShownHeaders {
  const shown = Object.entries(headers).flatMap(([sent, value]): [string, readonly string[]][] => {
    const name = sent.toLowerCase();
    if (value === undefined || CREDENTIALS.test(name) || isSecretName(name)) return [];
    return [[name, [value].flat().map((each) => valueWithoutSecrets(name, String(each)))]];
  });
  return Object.fromEntries(shown);
}

/** Removes the headers in which proxies report the address of the client. */
export function dropAddressHeaders(headers: ShownHeaders): ShownHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ADDRESSES.test(name)));
}

/** Prepares a request target for recording: masks tokens in its path, and query values that are or are named like one. */
export function sanitizeTarget(target: string): string {
  const at = target.indexOf('?');
  return sanitizeUrls(sanitizePath(target)) + (at < 0 ? '' : maskQueries(target.slice(at)));
}

function valueWithoutSecrets(name: string, value: string): string {
  if (name === 'referer') return sanitizeReferer(value);
  return JWS.test(value) ? MASK : maskQueries(value);
}

/** Treats the text after a question mark as a query. */
function maskQueries(text: string): string {
  const [path = '', ...queries] = text.split('?');
  const masked = queries.map((query) => query.split('&').map(withoutSecret).join('&'));
  return sanitizeUrls([path, ...masked].join('?'));
}

function withoutSecret(pair: string): string {
  const at = pair.indexOf('=');
  const sent = at < 0 ? '' : pair.slice(0, at + 1);
  // Decodes like a reader of the query.
  const [[name, value] = ['', '']] = new URLSearchParams(at < 0 ? `=${pair}` : pair);
  const isSecret = isNamedSecret(name) || looksLikeSecret(value) || holdsSecret(value);
  return isSecret ? `${sent}${MASK}` : pair;
}

function isNamedSecret(name: string): boolean {
  return isSecretName(name) || SECRET_IN_QUERY.test(name) || SECRET_MEMBER.test(name);
}

/** True for an encoded text with a structure of its own, such as another URL or JSON. */
function holdsSecret(value: string): boolean {
  return mayContainSecret(value) || maskQueries(value) !== value;
}
