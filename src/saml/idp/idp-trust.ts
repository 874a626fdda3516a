import { loadCertificates } from './idp-certificates.js';

/** The binding of a message (SAML bindings 3.4 and 3.5). */
export type Binding = 'redirect' | 'post';

/** An endpoint of an identity provider. */
export interface Endpoint {
  readonly url: string;
  readonly binding: Binding;
}

/** The trust settings of an identity provider, from its metadata or from the configuration. */
export interface IdpTrust {
  readonly entityId: string;
  readonly sso: Endpoint;
  /** The single logout endpoint; `responseUrl` is set if responses go elsewhere (SAML metadata 2.2.2). */
  readonly slo?: Endpoint & { readonly responseUrl?: string };
  /** Its signing certificates, PEM. */
  readonly certificates: readonly string[];
  /** Expiry of the metadata, in milliseconds since 1970. */
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

/** The trust settings in the configuration, or why they cannot be used. */
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

/** Whether traffic to the URL is protected: https, or this machine. */
export function isSafeUrl(url: string): boolean {
  return url.startsWith('https:') || isLoopback(url);
}

/** Whether the host is a loopback address or `localhost`. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
