import { readFileSync } from 'node:fs';
import { SignedXml } from 'xml-crypto';
import { makeCertificate } from './certificates.js';

/** What metadata of a test say; each part that is left out is not in them, or has a usual value. */
export interface MetadataParts {
  readonly entityId?: string;
  /** PEM texts. */
  readonly certificates?: readonly string[];
  /** In place of the usual single sign-on by HTTP-Redirect. */
  readonly services?: string;
  readonly validUntil?: string;
  readonly cacheDuration?: string;
  readonly roleAttributes?: string;
  /** Before the role. */
  readonly before?: string;
  /** At the start of the role. */
  readonly keys?: string;
}

const NAMESPACES = [
  'xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"',
  'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"',
  'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
  'xmlns:mdattr="urn:oasis:names:tc:SAML:metadata:attribute"',
].join(' ');

export const ENTITY_ID = 'https://idp.example/metadata';
export const SSO_URL = 'https://idp.example/sso';

/** An endpoint by its element, the end of its binding and its place. */
export function endpoint(name: string, binding: string, location: string, more = ''): string {
  return `<md:${name} Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${location}" ${more}/>`;
}

/** What stands in X509Certificate. */
export function base64(pem: string): string {
  return pem.replaceAll(/-----[^-]+-----|\n/g, '');
}

/** A KeyDescriptor with the certificate of a PEM text. */
export function keyDescriptor(pem: string, use = 'use="signing"'): string {
  return (
    `<md:KeyDescriptor ${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${base64(pem)}</ds:X509Certificate>` +
    '</ds:X509Data></ds:KeyInfo></md:KeyDescriptor>'
  );
}

/** Metadata of one identity provider. */
export function metadataOf({
  entityId = ENTITY_ID,
  certificates = [],
  services = endpoint('SingleSignOnService', 'HTTP-Redirect', SSO_URL),
  validUntil,
  cacheDuration,
  roleAttributes = '',
  before = '',
  keys = '',
}: MetadataParts): string {
  const times = [
    validUntil === undefined ? '' : `validUntil="${validUntil}"`,
    cacheDuration === undefined ? '' : `cacheDuration="${cacheDuration}"`,
  ].join(' ');
  return (
    `<md:EntityDescriptor ${NAMESPACES} ID="_entity" entityID="${entityId}" ${times}>${before}<md:IDPSSODescriptor ` +
    `protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" ${roleAttributes}>` +
    `${keys}${certificates.map((pem) => keyDescriptor(pem)).join('')}${services}` +
    '</md:IDPSSODescriptor></md:EntityDescriptor>'
  );
}

/** Several entities in one document. */
export function aggregateOf(entities: readonly string[], attributes = ''): string {
  return `<md:EntitiesDescriptor ${NAMESPACES} ID="_all" ${attributes}>${entities.join('')}</md:EntitiesDescriptor>`;
}

/** A certificate with an RSA key; `key` is the PEM text of its private key. */
export function madeRsa(name = 'idp', days = 365): { readonly pem: string; readonly key: string } {
  const { pem, key } = makeCertificate({ key: 'rsa', name, days });
  return { pem, key: readFileSync(key, 'utf8') };
}

export interface SigningOptions {
  readonly signatureAlgorithm?: string;
  readonly digestAlgorithm?: string;
  readonly transforms?: readonly string[];
  /** What is signed; the root where it is left out. */
  readonly xpath?: string;
}

/** The document with a signature as the first child of its root. */
export function signedMetadata(xml: string, key: string, options: SigningOptions = {}): string {
  const {
    signatureAlgorithm = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digestAlgorithm = 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms = ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
    xpath = '/*',
  } = options;
  const signature = new SignedXml({
    privateKey: key,
    signatureAlgorithm,
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  });
  signature.idAttributes = ['ID'];
  signature.addReference({ xpath, digestAlgorithm, transforms: [...transforms] });
  signature.computeSignature(xml, { location: { reference: '/*', action: 'prepend' } });
  return signature.getSignedXml();
}
