import { MASK, maskUrls, namesSecret } from '../../config/secrets.js';

/** Headers as they came or went: `headersDistinct` of Node, or what an answer was given. */
export type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Wherever they stand in a name: proxies make names of their own of them, such as `x-original-cookie`. */
const CREDENTIALS = /authorization|cookie/;
/** In a query, over the names that are secret everywhere. */
const SECRET_IN_QUERY = /(?:code|otp|ticket|assertion|signature|session|sid|jwt|bearer|authorization|saml\w*)$/i;

/** Header names in lower case with their values; none that carries credentials, nor those in URLs. */
export function headersWithoutSecrets(headers: Headers): Readonly<Record<string, readonly string[]>> {
  const kept = Object.entries(headers).flatMap(([sent, value]): [string, readonly string[]][] => {
    const name = sent.toLowerCase();
    // `:path` and the like of HTTP/2 are no headers.
    if (value === undefined || name.startsWith(':') || CREDENTIALS.test(name) || namesSecret(name)) return [];
    return [[name, [value].flat().map((each) => urlWithoutSecrets(String(each)))]];
  });
  return Object.fromEntries(kept);
}

/** The text with the values of its query masked that are named like secrets, and the user part of URLs in it. */
export function urlWithoutSecrets(text: string): string {
  const [path = '', ...query] = text.split('?');
  const masked = query.map((part) => part.split('&').map(withoutSecret).join('&'));
  return maskUrls([path, ...masked].join('?'));
}

function withoutSecret(pair: string): string {
  const at = pair.indexOf('=');
  if (at < 0) return pair;
  const sent = pair.slice(0, at);
  // As whoever reads the query decodes it.
  const [name = ''] = new URLSearchParams(sent).keys();
  return namesSecret(name) || SECRET_IN_QUERY.test(name) ? `${sent}=${MASK}` : pair;
}
