import { loadCertificates } from './idp-certificates.js';
import type { IdpTrust } from './idp-trust.js';

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
