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
  /** By itself one that nobody guesses. */
  readonly id?: string;
  /** A text stands there as it is. */
  readonly validUntil?: Instant | string | null;
  /** A duration of XML Schema, such as PT1H. */
  readonly cacheDuration?: string | null;
  /** Missing, they are not signed. */
  readonly signedBy?: KeyPair;
  readonly signature?: SignatureOptions;
}

/** What an identity provider says of itself (SAML metadata 2.3.2 and 2.4.3); each part has an honest value by itself. */
export interface MetadataOptions extends MetadataFrame {
  readonly ssoUrl?: string;
  readonly sloUrl?: string;
  /** Where answers to its logout requests go, where that is elsewhere. */
  readonly sloResponseUrl?: string;
  /** Of both endpoints; HTTP-Redirect and HTTP-POST by itself. */
  readonly bindings?: readonly Binding[];
  /** In place of all endpoints, such as `endpoint` writes. */
  readonly endpoints?: string;
  /** Before the KeyDescriptors of the certificates, such as `keyDescriptor` writes. */
  readonly keys?: string;
  /** Of IDPSSODescriptor, more than it has by itself. */
  readonly roleAttributes?: string;
  /** PEM, in place of its own. */
  readonly certificates?: readonly string[];
  /** PEM, beside its own: those of a change of keys. */
  readonly extraCertificates?: readonly string[];
  /** Values by the names of the entity attributes, such as `ASSURANCE`. */
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

/** Text of an endpoint; `binding` is a URI, `responseUrl` where answers go elsewhere (SAML metadata 2.2.2). */
export function endpoint(name: string, binding: string, url: string, responseUrl?: string): string {
  const places = attribute('Location', url) + attribute('ResponseLocation', responseUrl);
  return `<md:${name}${attribute('Binding', binding)}${places}/>`;
}

/** Text of an EntitiesDescriptor around the metadata of several (SAML metadata 2.3.1). */
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
