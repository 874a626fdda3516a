import { loadCertificates } from './idp-certificates.js';

/** How a message travels (SAML bindings 3.4 and 3.5). */
export type Binding = 'redirect' | 'post';

/** Where an identity provider takes messages. */
export interface Endpoint {
  readonly url: string;
  readonly binding: Binding;
}

/** What we know of an identity provider and trust it by: from its metadata, or set by hand. */
export interface IdpTrust {
  readonly entityId: string;
  readonly sso: Endpoint;
  /** Where logout messages go; `responseUrl` where answers go elsewhere (SAML metadata 2.2.2). */
  readonly slo?: Endpoint & { readonly responseUrl?: string };
  /** It signs with one of these; PEM. */
  readonly certificates: readonly string[];
  /** Milliseconds since 1970 from which on the metadata count no more. */
  readonly validUntil?: number;
}

/** Keys of an identity provider without metadata. */
interface Configured {
  readonly entityId?: string;
  readonly ssoUrl?: string;
  readonly ssoBinding: 'redirect' | 'post';
  readonly sloUrl?: string;
  readonly certificates: readonly string[];
}

/** What an operator has set by hand, or why it cannot be used. */
export function configuredTrust(keys: Configured): { readonly trust: IdpTrust } | { readonly fault: string } {
  const { entityId, ssoUrl, ssoBinding: binding, sloUrl } = keys;
  if (entityId === undefined || ssoUrl === undefined) return { fault: 'entity-id and sso-url are not both set' };
  const certificates: string[] = [];
  for (const place of keys.certificates) {
    const found = loadCertificates(place);
    if ('fault' in found) return { fault: `certificates: ${found.fault}` };
    certificates.push(...found);
  }
  const slo = sloUrl === undefined ? {} : { slo: { url: sloUrl, binding: 'redirect' as const } };
  return { trust: { entityId, sso: { url: ssoUrl, binding }, ...slo, certificates } };
}

/** Nobody between us and there can read or change what travels: https, or this very machine. */
export function isSafeUrl(url: string): boolean {
  return url.startsWith('https:') || isLoopback(url);
}

/** At this machine by its number or its usual name. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
