import { type SignatureOptions, signXml } from './saml-signature.js';
import {
  attribute,
  bare,
  type Binding,
  BINDING_URI,
  escaped,
  type Instant,
  type KeyPair,
  messageId,
  NAMESPACE,
  PERSISTENT,
  written,
} from './saml-xml.js';

/** Until when metadata count, and who signs them. */
export interface MetadataFrame {
  readonly validUntil?: Instant | null;
  /** A duration of XML Schema, such as PT1H. */
  readonly cacheDuration?: string | null;
  /** Missing, they are not signed. */
  readonly signedBy?: KeyPair;
  readonly signature?: SignatureOptions;
}

/** What an identity provider says of itself (SAML metadata 2.3.2 and 2.4.3). */
export interface MetadataOptions extends MetadataFrame {
  readonly ssoUrl: string;
  readonly sloUrl?: string;
  /** Where answers to its logout requests go, where that is elsewhere. */
  readonly sloResponseUrl?: string;
  /** Of both endpoints; HTTP-Redirect and HTTP-POST by itself. */
  readonly bindings?: readonly Binding[];
  /** PEM, in place of its own. */
  readonly certificates?: readonly string[];
  /** PEM, beside its own: those of a change of keys. */
  readonly extraCertificates?: readonly string[];
  /** Values of the entity attribute assurance-certification, such as https://refeds.org/profile/mfa. */
  readonly assuranceProfiles?: readonly string[];
  readonly wantsSignedRequests?: boolean;
  readonly entityId?: string;
}

const ASSURANCE = 'urn:oasis:names:tc:SAML:attribute:assurance-certification';
const ENTITY_ATTRIBUTES = 'urn:oasis:names:tc:SAML:metadata:attribute';
const URI_NAMES = 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri';

/** Text of an EntityDescriptor with an IDPSSODescriptor. */
export function entityDescriptor(entityId: string, certificate: string, options: MetadataOptions): string {
  const { ssoUrl, sloUrl, sloResponseUrl, bindings = ['redirect', 'post'], wantsSignedRequests = false } = options;
  const certificates = options.certificates ?? [certificate, ...(options.extraCertificates ?? [])];
  const locations = (name: string, url: string, attributes = ''): string =>
    bindings
      .map((binding) => `<md:${name} Binding="${BINDING_URI[binding]}"${attribute('Location', url)}${attributes}/>`)
      .join('');
  return framed('EntityDescriptor', attribute('entityID', options.entityId ?? entityId), options, [
    assurance(options.assuranceProfiles ?? []),
    `<md:IDPSSODescriptor WantAuthnRequestsSigned="${String(wantsSignedRequests)}"`,
    ` protocolSupportEnumeration="${NAMESPACE.protocol}">`,
    ...certificates.map(keyDescriptor),
    sloUrl === undefined ? '' : locations('SingleLogoutService', sloUrl, attribute('ResponseLocation', sloResponseUrl)),
    `<md:NameIDFormat>${PERSISTENT}</md:NameIDFormat>`,
    locations('SingleSignOnService', ssoUrl),
    '</md:IDPSSODescriptor>',
  ]);
}

/** Text of an EntitiesDescriptor around the metadata of several (SAML metadata 2.3.1). */
export function entitiesDescriptor(descriptors: readonly string[], frame: MetadataFrame = {}): string {
  return framed('EntitiesDescriptor', '', frame, descriptors);
}

function framed(name: string, attributes: string, frame: MetadataFrame, content: readonly string[]): string {
  const { validUntil = null, cacheDuration, signedBy, signature } = frame;
  const id = messageId();
  const xml =
    `<md:${name} xmlns:md="${NAMESPACE.metadata}"${attribute('ID', id)}` +
    `${attribute('validUntil', written(validUntil))}${attribute('cacheDuration', cacheDuration)}${attributes}>` +
    `${content.join('')}</md:${name}>`;
  return signedBy === undefined ? xml : signXml(xml, id, signedBy, signature);
}

function assurance(profiles: readonly string[]): string {
  if (profiles.length === 0) return '';
  const values = profiles.map((profile) => `<saml:AttributeValue>${escaped(profile)}</saml:AttributeValue>`);
  return (
    `<md:Extensions><mdattr:EntityAttributes xmlns:mdattr="${ENTITY_ATTRIBUTES}">` +
    `<saml:Attribute xmlns:saml="${NAMESPACE.assertion}" Name="${ASSURANCE}" NameFormat="${URI_NAMES}">` +
    `${values.join('')}</saml:Attribute></mdattr:EntityAttributes></md:Extensions>`
  );
}

function keyDescriptor(certificate: string): string {
  return (
    `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${NAMESPACE.signature}"><ds:X509Data>` +
    `<ds:X509Certificate>${bare(certificate)}</ds:X509Certificate>` +
    `</ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
  );
}
