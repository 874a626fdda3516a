import { DOMParser } from '@xmldom/xmldom';
import { loadCertificates, parseCertificate } from './idp-certificates.js';
import type { Binding, Endpoint, IdpTrust } from './idp-trust.js';
import { shapeFault } from '../xml/metadata-shape.js';
import { verifyRootSignature } from '../xml/root-signature.js';
import { BINDING_URI, NAMESPACE } from '../xml/saml-uris.js';
import { durationSeconds, millisOfDateTime } from '../xml/xml-times.js';

const CERTIFICATION = 'urn:oasis:names:tc:SAML:attribute:assurance-certification';
const CATEGORIES = ['http://macedir.org/entity-category', 'http://macedir.org/entity-category-support'];
/** Of entity categories only these speak of assurance, such as https://refeds.org/profile/mfa. */
const PROFILE = /^https:\/\/refeds\.org\/(?:profile|assurance)/;

/** Which identity provider is looked for, and how. */
export interface MetadataSelection {
  /** Must be given where there are several. */
  readonly entityId?: string;
  /** Of requests for a login; the other one serves where this one is not offered. */
  readonly binding: Binding;
  /** PEM texts; where they are given, one of them must have signed the root, and only what it signed is read. */
  readonly signedBy?: readonly string[];
}

/** What metadata say of one identity provider. */
export interface MetadataReading {
  readonly trust: IdpTrust;
  readonly cacheDurationSeconds?: number;
  readonly nameIdFormats: readonly string[];
  /** What they certify or support, e.g. https://refeds.org/profile/mfa. */
  readonly assuranceProfiles: readonly string[];
  /** Sentences without a full stop, about what was left out. */
  readonly warnings: readonly string[];
}

/** Why metadata cannot be used: the end of a sentence that begins with them. */
export interface MetadataFault {
  readonly fault: string;
}

/** Reads metadata (SAML metadata 2.0), whose times are not judged here. */
export function readMetadata(xml: string, wanted: MetadataSelection): MetadataReading | MetadataFault {
  const root = rootOf(xml, wanted.signedBy);
  if ('fault' in root) return root;
  const lineage = chosen(root, wanted.entityId);
  if ('fault' in lineage) return lineage;
  const entity = lineage.at(-1) ?? root;
  const roles = children(entity, NAMESPACE.metadata, 'IDPSSODescriptor').filter((role) =>
    words(attribute(role, 'protocolSupportEnumeration')).includes(NAMESPACE.protocol),
  );
  const [role] = roles;
  const entityId = attribute(entity, 'entityID') ?? '';
  if (!role || entityId === '') return { fault: 'they describe no identity provider of SAML 2.0' };
  return described(entityId, [...lineage, role], wanted.binding);
}

/** Keys that say what is looked for in metadata. */
interface MetadataKeys {
  readonly entityId?: string;
  readonly ssoBinding: 'redirect' | 'post';
  readonly metadataCertificate?: string;
}

/** Reads metadata as an identity provider is configured; with `metadata-certificate` only what it has signed. */
export function readConfigured(document: string, keys: MetadataKeys): MetadataReading | MetadataFault {
  const { entityId, ssoBinding: binding, metadataCertificate } = keys;
  const wanted = { ...(entityId !== undefined && { entityId }), binding };
  if (metadataCertificate === undefined) return readMetadata(document, wanted);
  const signedBy = loadCertificates(metadataCertificate);
  if ('fault' in signedBy) return { fault: `they cannot be checked by metadata-certificate: ${signedBy.fault}` };
  return readMetadata(document, { ...wanted, signedBy });
}

/** `lineage`: from the root to the role; what limits the outer ones limits the inner ones (SAML metadata 2.3). */
function described(entityId: string, lineage: readonly Element[], binding: Binding): MetadataReading | MetadataFault {
  const [entity, role] = lineage.slice(-2);
  if (!entity || !role) return { fault: 'they describe no identity provider of SAML 2.0' };
  const warnings: string[] = [];
  const endpoints = (name: string): readonly Located[] => located(children(role, NAMESPACE.metadata, name), warnings);
  const services = endpoints('SingleSignOnService');
  const sso = services.find((each) => each.binding === binding) ?? services[0];
  if (!sso) return { fault: 'they name no single sign-on by HTTP-Redirect or HTTP-POST at a URL' };
  if (sso.binding !== binding) warnings.push(`Single sign-on is offered by ${sso.binding} alone, not by ${binding}`);
  const logouts = endpoints('SingleLogoutService');
  const slo = logouts.find((each) => each.binding === 'redirect') ?? logouts[0];
  const certificates = signingCertificates(role, warnings);
  if (certificates.length === 0) return { fault: 'they hold no certificate that signatures can be checked with' };
  const untils = lineage.flatMap((each) => attribute(each, 'validUntil') ?? []).map(millisOfDateTime);
  if (untils.includes(undefined)) return { fault: 'their validUntil is no instant' };
  const validUntil = Math.min(...untils.flatMap((each) => each ?? []));
  const durations = lineage.flatMap((each) => attribute(each, 'cacheDuration') ?? []).map(durationSeconds);
  if (durations.includes(undefined)) warnings.push('A cacheDuration is no duration');
  const cacheDuration = Math.min(...durations.flatMap((each) => each ?? []));
  return {
    trust: {
      entityId,
      sso: { url: sso.url, binding: sso.binding },
      ...(slo && { slo }),
      certificates,
      ...(Number.isFinite(validUntil) && { validUntil }),
    },
    ...(Number.isFinite(cacheDuration) && { cacheDurationSeconds: cacheDuration }),
    nameIdFormats: children(role, NAMESPACE.metadata, 'NameIDFormat').map(textOf),
    assuranceProfiles: profilesOf(entity),
    warnings,
  };
}

function rootOf(xml: string, signedBy: readonly string[] | undefined): Element | MetadataFault {
  const root = parsed(xml);
  if ('fault' in root || signedBy === undefined) return root;
  const found = verifyRootSignature(xml, root, signedBy);
  return 'fault' in found ? found : parsed(found.signed);
}

function parsed(xml: string): Element | MetadataFault {
  const fault = shapeFault(xml);
  if (fault !== undefined) return { fault };
  const broken = (): never => {
    throw new SyntaxError('not well-formed');
  };
  const errorHandler = { warning: broken, error: broken, fatalError: broken };
  try {
    return new DOMParser({ errorHandler }).parseFromString(xml, 'text/xml').documentElement;
  } catch {
    // The parser's own messages quote the document.
    return { fault: 'they are not well-formed XML' };
  }
}

/** From the root to the one that is meant. */
function chosen(root: Element, entityId: string | undefined): readonly Element[] | MetadataFault {
  const all = entities(root, []);
  const found = all.filter((lineage) => {
    const entity = lineage.at(-1);
    if (entityId !== undefined) return entity !== undefined && attribute(entity, 'entityID') === entityId;
    return entity !== undefined && children(entity, NAMESPACE.metadata, 'IDPSSODescriptor').length > 0;
  });
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (all.length === 0) return { fault: 'they are no SAML metadata' };
  if (entityId !== undefined) return { fault: `they describe ${only ? 'more than one' : 'no'} entity ${entityId}` };
  if (!only) return { fault: 'they describe no identity provider' };
  return { fault: `they describe ${found.length} identity providers; entity-id says which one is meant` };
}

/** Every EntityDescriptor with all that it stands in. */
function entities(element: Element, outer: readonly Element[]): readonly (readonly Element[])[] {
  const lineage = [...outer, element];
  if (isNamed(element, NAMESPACE.metadata, 'EntityDescriptor')) return [lineage];
  if (!isNamed(element, NAMESPACE.metadata, 'EntitiesDescriptor')) return [];
  return elements(element).flatMap((inner) => entities(inner, lineage));
}

type Located = Endpoint & { readonly responseUrl?: string };

function located(services: readonly Element[], warnings: string[]): readonly Located[] {
  return services.flatMap((service) => {
    const binding = (['redirect', 'post'] as const).find((each) => BINDING_URI[each] === attribute(service, 'Binding'));
    if (binding === undefined) return [];
    const url = attribute(service, 'Location') ?? '';
    const responseUrl = attribute(service, 'ResponseLocation') ?? '';
    // A page would run what stands at javascript:.
    if (!isUrl(url) || (responseUrl !== '' && !isUrl(responseUrl))) {
      warnings.push(`${service.localName} by ${binding} is at no URL of http or https`);
      return [];
    }
    return [{ url, binding, ...(responseUrl !== '' && { responseUrl }) }];
  });
}

function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s#]+$/.test(text) && URL.canParse(text);
}

function signingCertificates(role: Element, warnings: string[]): readonly string[] {
  const found = children(role, NAMESPACE.metadata, 'KeyDescriptor')
    .filter((key) => ['', 'signing'].includes(attribute(key, 'use') ?? ''))
    .flatMap((key) => children(key, NAMESPACE.signature, 'KeyInfo'))
    .flatMap((info) => children(info, NAMESPACE.signature, 'X509Data'))
    .flatMap((data) => children(data, NAMESPACE.signature, 'X509Certificate'))
    .flatMap((certificate) => {
      const usable = parseCertificate(Buffer.from(textOf(certificate), 'base64'));
      if (typeof usable === 'string') return [usable];
      warnings.push(`A certificate is left out: ${usable.fault}`);
      return [];
    });
  return [...new Set(found)];
}

function profilesOf(entity: Element): readonly string[] {
  const values = children(entity, NAMESPACE.metadata, 'Extensions')
    .flatMap(elements)
    .filter(({ localName }) => localName === 'EntityAttributes')
    .flatMap((holder) => children(holder, NAMESPACE.assertion, 'Attribute'))
    .flatMap((said) => {
      const name = attribute(said, 'Name') ?? '';
      const values = children(said, NAMESPACE.assertion, 'AttributeValue').map(textOf);
      if (name === CERTIFICATION) return values;
      return CATEGORIES.includes(name) ? values.filter((value) => PROFILE.test(value)) : [];
    });
  return [...new Set(values)];
}

function children(parent: Element, namespace: string, name: string): readonly Element[] {
  return elements(parent).filter((child) => isNamed(child, namespace, name));
}

function elements(parent: Element): readonly Element[] {
  return Array.from(parent.childNodes).filter((node): node is Element => node.nodeType === parent.nodeType);
}

function isNamed({ namespaceURI, localName }: Element, namespace: string, name: string): boolean {
  return namespaceURI === namespace && localName === name;
}

/** Undefined where it is not there, which the parser tells by an empty text. */
function attribute(element: Element, name: string): string | undefined {
  const value = element.getAttribute(name) ?? '';
  return value === '' ? undefined : value;
}

function textOf(element: Element): string {
  return element.textContent.trim();
}

function words(text = ''): readonly string[] {
  return text.split(/\s+/);
}
