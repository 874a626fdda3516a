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

/** Validity and signature of metadata. */
export interface MetadataFrame {
  /** A random one by default. */
  readonly id?: string;
  /** A text is written unchanged. */
  readonly validUntil?: Instant | string | null;
  /** A duration of XML Schema, such as PT1H. */
  readonly cacheDuration?: string | null;
  /** Without it, they are not signed. */
  readonly signedBy?: KeyPair;
  readonly signature?: SignatureOptions;
}

/** Metadata of an identity provider (SAML metadata 2.3.2 and 2.4.3); every part has a valid default. */
export interface MetadataOptions extends MetadataFrame {
  readonly ssoUrl?: string;
  readonly sloUrl?: string;
  /** ResponseLocation of the logout endpoints, if it differs. */
  readonly sloResponseUrl?: string;
  /** Bindings of both endpoints; HTTP-Redirect and HTTP-POST by default. */
  readonly bindings?: readonly Binding[];
  /** Replaces all endpoints, for example with text from `endpoint`. */
  readonly endpoints?: string;
  /** Text before the KeyDescriptors of the certificates, for example from `keyDescriptor`. */
  readonly keys?: string;
  /** Additional attributes of IDPSSODescriptor. */
  readonly roleAttributes?: string;
  /** PEM certificates in place of its own. */
  readonly certificates?: readonly string[];
  /** PEM certificates in addition to its own, as during a key change. */
  readonly extraCertificates?: readonly string[];
  /** Values by the name of an entity attribute, such as `ASSURANCE`. */
  readonly entityAttributes?: Readonly<Record<string, readonly string[]>>;
  readonly wantsSignedRequests?: boolean;
  readonly entityId?: string;
}

/** Entity attribute whose values are such as https://refeds.org/profile/mfa. */
export const ASSURANCE = 'urn:oasis:names:tc:SAML:attribute:assurance-certification';
const SSO_URL = 'https://idp.test/sso';
const ENTITY_ATTRIBUTES = 'urn:oasis:names:tc:SAML:metadata:attribute';
const URI_NAMES = 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri';

/** Text of an EntityDescriptor with an IDPSSODescriptor. */
export function entityDescriptor(entityId: string, certificate: string, options: MetadataOptions): string {
  const { wantsSignedRequests = false, roleAttributes = '', endpoints, keys = '' } = options;
  const certificates = options.certificates ?? [certificate, ...(options.extraCertificates ?? [])];
  return framed('EntityDescriptor', attribute('entityID', options.entityId ?? entityId), options, [
    entityAttributesXml(options.entityAttributes ?? {}),
    `<md:IDPSSODescriptor WantAuthnRequestsSigned="${String(wantsSignedRequests)}"`,
    ` protocolSupportEnumeration="${NAMESPACE.protocol}" ${roleAttributes}>${keys}`,
    ...certificates.map((pem) => keyDescriptor(pem)),
    endpoints ?? endpointsOf(options),
    '</md:IDPSSODescriptor>',
  ]);
}

function endpointsOf(options: MetadataOptions): string {
  const { ssoUrl = SSO_URL, sloUrl, sloResponseUrl, bindings = ['redirect', 'post'] } = options;
  const each = (name: string, url: string, responseUrl?: string): string =>
    bindings.map((binding) => endpoint(name, BINDING_URI[binding], url, responseUrl)).join('');
  const slo = sloUrl === undefined ? '' : each('SingleLogoutService', sloUrl, sloResponseUrl);
  return `${slo}<md:NameIDFormat>${PERSISTENT}</md:NameIDFormat>${each('SingleSignOnService', ssoUrl)}`;
}

/** Text of an endpoint; `binding` is a URI, `responseUrl` its ResponseLocation (SAML metadata 2.2.2). */
export function endpoint(name: string, binding: string, url: string, responseUrl?: string): string {
  const places = attribute('Location', url) + attribute('ResponseLocation', responseUrl);
  return `<md:${name}${attribute('Binding', binding)}${places}/>`;
}

/** Text of an EntitiesDescriptor with the metadata of several entities (SAML metadata 2.3.1). */
export function entitiesDescriptor(descriptors: readonly string[], frame: MetadataFrame = {}): string {
  return framed('EntitiesDescriptor', '', frame, descriptors);
}

function framed(name: string, attributes: string, frame: MetadataFrame, content: readonly string[]): string {
  const { id = messageId(), validUntil = null, cacheDuration, signedBy, signature } = frame;
  const end = typeof validUntil === 'string' ? validUntil : written(validUntil);
  const xml =
    `<md:${name} xmlns:md="${NAMESPACE.metadata}"${attribute('ID', id)}` +
    `${attribute('validUntil', end)}${attribute('cacheDuration', cacheDuration)}${attributes}>` +
    `${content.join('')}</md:${name}>`;
  return signedBy === undefined ? xml : signXml(xml, id, signedBy, signature);
}

function entityAttributesXml(all: Readonly<Record<string, readonly string[]>>): string {
  const attributes = Object.entries(all).map(([name, texts]) => {
    const values = texts.map((text) => `<saml:AttributeValue>${escaped(text)}</saml:AttributeValue>`);
    return `<saml:Attribute${attribute('Name', name)} NameFormat="${URI_NAMES}">${values.join('')}</saml:Attribute>`;
  });
  if (attributes.length === 0) return '';
  return (
    `<md:Extensions><mdattr:EntityAttributes xmlns:mdattr="${ENTITY_ATTRIBUTES}" xmlns:saml="${NAMESPACE.assertion}">` +
    `${attributes.join('')}</mdattr:EntityAttributes></md:Extensions>`
  );
}

/** Text of a KeyDescriptor with a certificate (PEM); null is for every use. */
export function keyDescriptor(certificate: string, use: 'signing' | 'encryption' | null = 'signing'): string {
  return (
    `<md:KeyDescriptor${attribute('use', use)}><ds:KeyInfo xmlns:ds="${NAMESPACE.signature}"><ds:X509Data>` +
    `<ds:X509Certificate>${bare(certificate)}</ds:X509Certificate>` +
    `</ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
  );
}
