import { sign, verify } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { decodeBase64, decodeText, RSA_SHA256 } from './xml/saml-values.js';
import type { SamlRejection } from './login/rejection.js';

/** The parameter that carries a message, in a query or a form. */
export type MessageField = 'SAMLRequest' | 'SAMLResponse';

/** A message of a binding, as XML text. */
export interface BindingMessage {
  readonly field: MessageField;
  readonly xml: string;
  readonly relayState: string | undefined;
}

const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';
/** Hashes by signature algorithm; all others are rejected, including SHA-1. */
const HASHES: ReadonlyMap<string, 'sha256' | 'sha384' | 'sha512'> = new Map([
  [RSA_SHA256, 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
]);
const NAMES = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SAMLEncoding', 'SigAlg', 'Signature'] as const;
/** In bytes; a LogoutRequest has about two thousand. */
const MAX_XML_LENGTH = 64 * 1024;
/** In characters; SAML allows 80 bytes (bindings 3.4.3), but some senders use more. */
export const MAX_RELAY_STATE_LENGTH = 1024;

/** Builds the URL that sends a signed message to `url` (SAML bindings 3.4.4.1). */
export function redirectUrl(url: string, { field, xml, relayState }: BindingMessage, privateKey: string): string {
  const message = deflateRawSync(xml).toString('base64');
  const signed = [
    `${field}=${encodeURIComponent(message)}`,
    ...(relayState === undefined ? [] : [`RelayState=${encodeURIComponent(relayState)}`]),
    `SigAlg=${encodeURIComponent(RSA_SHA256)}`,
  ].join('&');
  const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64');
  return `${url}${url.includes('?') ? '&' : '?'}${signed}&Signature=${encodeURIComponent(signature)}`;
}

/**
 * Reads the message of a query that one of the certificates has signed, or states why it is rejected. `query` must be the raw
 * text, which is what the signature covers (SAML bindings 3.4.4.1). Nothing is inflated before it is verified.
 */
export function readRedirect(query: string, certificates: readonly string[]): BindingMessage | SamlRejection {
  const raw = parseQuery(query);
  const field = raw && fieldOf(raw);
  if (raw === undefined || field === undefined) return 'malformed';
  const values = new Map(Array.from(raw, ([name, value]) => [name, decode(value)]));
  const relayState = values.get('RelayState');
  if ([...values.values()].includes(undefined)) return 'malformed';
  if ((relayState?.length ?? 0) > MAX_RELAY_STATE_LENGTH) return 'malformed';
  if ((values.get('SAMLEncoding') ?? DEFLATE) !== DEFLATE) return 'malformed';
  const rejection = signatureRejection(raw, field, values, certificates);
  if (rejection !== undefined) return rejection;
  const xml = inflate(values.get(field) ?? '');
  return xml === undefined ? 'malformed' : { field, xml, relayState };
}

type Parameter = (typeof NAMES)[number];

/** The raw values; undefined if a name is unknown, escaped or repeated. */
function parseQuery(query: string): ReadonlyMap<Parameter, string> | undefined {
  const raw = new Map<Parameter, string>();
  for (const pair of query.split('&')) {
    const end = pair.indexOf('=');
    const name = NAMES.find((known) => known === pair.slice(0, Math.max(0, end)));
    if (name === undefined || raw.has(name)) return undefined;
    raw.set(name, pair.slice(end + 1));
  }
  return raw;
}

function fieldOf(raw: ReadonlyMap<Parameter, string>): MessageField | undefined {
  if (raw.has('SAMLRequest')) return raw.has('SAMLResponse') ? undefined : 'SAMLRequest';
  return raw.has('SAMLResponse') ? 'SAMLResponse' : undefined;
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function signatureRejection(
  raw: ReadonlyMap<Parameter, string>,
  field: MessageField,
  values: ReadonlyMap<Parameter, string | undefined>,
  certificates: readonly string[],
): SamlRejection | undefined {
  const [algorithm, signature] = [values.get('SigAlg'), values.get('Signature')];
  if (algorithm === undefined || signature === undefined) return 'signature';
  const hash = HASHES.get(algorithm);
  if (hash === undefined) return 'algorithm';
  const bytes = decodeBase64(signature);
  if (bytes === undefined) return 'signature';
  const names = [field, 'RelayState', 'SigAlg'] as const;
  const signed = names.flatMap((name) => {
    const value = raw.get(name);
    return value === undefined ? [] : [`${name}=${value}`];
  });
  const octets = Buffer.from(signed.join('&'));
  return certificates.some((certificate) => verify(hash, octets, certificate, bytes)) ? undefined : 'signature';
}

function inflate(base64: string): string | undefined {
  const bytes = decodeBase64(base64);
  if (bytes === undefined) return undefined;
  try {
    return decodeText(inflateRawSync(bytes, { maxOutputLength: MAX_XML_LENGTH }));
  } catch {
    return undefined; // not DEFLATE, incomplete, or too long
  }
}
