import { X509Certificate } from 'node:crypto';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { bytesOf, certificateName, UnusableBundle, fileOf } from '../../../platform/tls/bundle-reading.js';

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
const MIN_RSA_BITS = 2048;

/** The binding of a message (SAML bindings 3.4 and 3.5). */
export type SamlBinding = 'redirect' | 'post';

/** An endpoint of an identity provider. */
export interface SamlEndpoint {
  readonly url: string;
  readonly binding: SamlBinding;
}

/** The trust settings of an identity provider, from its metadata or from the configuration. */
export interface IdpTrust {
  readonly entityId: string;
  readonly sso: SamlEndpoint;
  /** The single logout endpoint; `responseUrl` is set if responses go elsewhere (SAML metadata 2.2.2). */
  readonly slo?: SamlEndpoint & { readonly responseUrl?: string };
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
export function configuredTrust(keys: Configured): { readonly trust: IdpTrust } | { readonly problem: string } {
  const { entityId, ssoUrl, ssoBinding: binding, sloUrl } = keys;
  if (entityId === undefined || ssoUrl === undefined) return { problem: 'entity-id and sso-url are not both set' };
  const certificates: string[] = [];
  for (const value of keys.certificates) {
    const found = loadCertificates(value);
    if ('problem' in found) return { problem: `certificates: ${found.problem}` };
    certificates.push(...found);
  }
  const slo = sloUrl === undefined ? undefined : { url: sloUrl, binding: 'redirect' as const };
  return { trust: { entityId, sso: { url: ssoUrl, binding }, ...withoutUndefined({ slo }), certificates } };
}

/** Whether traffic to the URL is protected: https, or this machine. */
export function isSafeUrl(url: string): boolean {
  return url.startsWith('https:') || isLoopback(url);
}

/** Whether the host is a loopback address or `localhost`. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** The reported facts of a certificate. */
export interface CertificateFacts {
  readonly subject: string;
  /** SHA-256 of the certificate, in hexadecimal pairs with colons. */
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly begin: number;
  readonly end: number;
}

export function certificateFacts(pem: string): CertificateFacts {
  const certificate = new X509Certificate(pem);
  const { fingerprint256, validFrom, validTo } = certificate;
  return {
    subject: certificateName(certificate),
    fingerprint: fingerprint256,
    begin: Date.parse(validFrom),
    end: Date.parse(validTo),
  };
}

/**
 * The certificates in a value or in the file that it names, one PEM text each, or why they cannot be used. Expired
 * certificates are accepted: trust comes from the configuration (SAML metadata interoperability profile 2.6.2).
 */
export function loadCertificates(value: string): readonly string[] | { readonly problem: string } {
  const file = fileOf(value);
  try {
    const text = file === undefined ? value : bytesOf(file, '').toString('utf8');
    const blocks = text.match(BLOCK) ?? [];
    if (blocks.length === 0) return { problem: 'contains no certificate in PEM form' };
    const found = blocks.map((block) => parseCertificate(block));
    const problem = found.find((each) => typeof each !== 'string');
    return problem ?? found.filter((each) => typeof each === 'string');
  } catch (error) {
    if (!(error instanceof UnusableBundle)) throw error;
    return { problem: error.problem.reason };
  }
}

/** The certificate as PEM text, or why it cannot verify signatures; `given` is PEM or DER. */
export function parseCertificate(input: string | Buffer): string | { readonly problem: string } {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(input);
  } catch {
    return { problem: 'a certificate cannot be read' };
  }
  const { asymmetricKeyType: type = 'unknown', asymmetricKeyDetails: details } = certificate.publicKey;
  const name = certificateName(certificate);
  if (type !== 'rsa') return { problem: `the certificate ${name} has a key of type ${type}, not RSA` };
  const bits = details?.modulusLength ?? 0;
  if (bits < MIN_RSA_BITS)
    return { problem: `the certificate ${name} has an RSA key of ${bits} bits, not at least ${MIN_RSA_BITS}` };
  return certificate.toString();
}
