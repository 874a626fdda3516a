import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { loadCertificates, parseCertificate, type SamlBinding, type SamlEndpoint, type IdpTrust } from './idp-trust.js';
import { readMetadataXml } from '../xml/metadata-allowlist.js';
import type { XmlElement } from '../xml/xml-reader.js';
import { verifyRootSignature } from '../xml/root-signature.js';
import { BINDING_URI, NAMESPACE, durationSeconds, millisOfDateTime, printable } from '../xml/saml-values.js';

/** Blanks at the end are sought from the first of them only: from each of them, a long value would take minutes. */
const BLANKS_AROUND = /^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g;
const CERTIFICATION = 'urn:oasis:names:tc:SAML:attribute:assurance-certification';
const CATEGORIES = ['http://macedir.org/entity-category', 'http://macedir.org/entity-category-support'];
const PEM_LINES = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----$/;
/** The entity categories that state assurance, such as https://refeds.org/profile/mfa. */
const PROFILE = /^https:\/\/refeds\.org\/(?:profile|assurance)/;

/** Configuration keys that select an identity provider in metadata. */
interface MetadataKeys {
  /** Required if the metadata contains several. */
  readonly entityId?: string;
  /** The preferred binding of login requests. */
  readonly ssoBinding: SamlBinding;
  /** If set, one of these certificates must have signed the root element, and only the signed text is read. */
  readonly metadataCertificate?: string;
}

/** The metadata of one identity provider. */
export interface MetadataReading {
  readonly trust: IdpTrust;
  readonly cacheDurationSeconds?: number;
  readonly nameIdFormats: readonly string[];
  /** Certified or supported profiles, such as https://refeds.org/profile/mfa. */
  readonly assuranceProfiles: readonly string[];
  /** Sentences without a full stop, about ignored parts. */
  readonly warnings: readonly string[];
}

/** Why metadata cannot be used. */
export interface MetadataRejection {
  readonly problem: string;
}

/** Reads metadata (SAML metadata 2.0) as configured, without checking its expiry. */
export function readMetadata(xml: string, keys: MetadataKeys): MetadataReading | MetadataRejection {
  const root = rootOf(xml, keys.metadataCertificate);
  if ('problem' in root) return root;
  const lineage = chosen(root, keys.entityId);
  if ('problem' in lineage) return lineage;
  const entity = lineage.at(-1) ?? root;
  const roles = children(entity, NAMESPACE.metadata, 'IDPSSODescriptor').filter((role) =>
    words(attribute(role, 'protocolSupportEnumeration')).includes(NAMESPACE.protocol),
  );
  const [role] = roles;
  const entityId = attribute(entity, 'entityID') ?? '';
  if (!role || entityId === '') return { problem: 'contains no SAML 2.0 identity provider' };
  return described(entityId, [...lineage, role], keys.ssoBinding);
}

/** `lineage` leads from the root to the role; limits of outer elements apply to inner ones (SAML metadata 2.3). */
function described(
  entityId: string,
  lineage: readonly XmlElement[],
  binding: SamlBinding,
): MetadataReading | MetadataRejection {
  const [entity, role] = lineage.slice(-2);
  if (!entity || !role) return { problem: 'contains no SAML 2.0 identity provider' };
  const warnings: string[] = [];
  const endpoints = (name: string): readonly Located[] => located(children(role, NAMESPACE.metadata, name), warnings);
  const services = endpoints('SingleSignOnService');
  const sso = services.find((each) => each.binding === binding) ?? services[0];
  if (!sso) return { problem: because('contains no single sign-on URL for HTTP-Redirect or HTTP-POST', warnings) };
  if (sso.binding !== binding) warnings.push(`Single sign-on is offered by ${sso.binding} only, not by ${binding}`);
  const logouts = endpoints('SingleLogoutService');
  const slo = logouts.find((each) => each.binding === 'redirect') ?? logouts[0];
  const { certificates, ignored } = signingCertificates(role);
  if (certificates.length === 0)
    return { problem: because('contains no certificate that can verify signatures', ignored) };
  warnings.push(...ignored);
  const untils = lineage.flatMap((each) => attribute(each, 'validUntil') ?? []).map(millisOfDateTime);
  if (untils.includes(undefined)) return { problem: 'validUntil is not a date and time' };
  const validUntil = Math.min(...untils.flatMap((each) => each ?? []));
  const durations = lineage.flatMap((each) => attribute(each, 'cacheDuration') ?? []).map(durationSeconds);
  if (durations.includes(undefined)) warnings.push('A cacheDuration is not a duration');
  const cacheDuration = Math.min(...durations.flatMap((each) => each ?? []));
  return {
    trust: {
      entityId,
      sso: { url: sso.url, binding: sso.binding },
      certificates,
      ...withoutUndefined({ slo, validUntil: Number.isFinite(validUntil) ? validUntil : undefined }),
    },
    ...(Number.isFinite(cacheDuration) && { cacheDurationSeconds: cacheDuration }),
    nameIdFormats: children(role, NAMESPACE.metadata, 'NameIDFormat').map(textOf),
    assuranceProfiles: profilesOf(entity),
    warnings,
  };
}

/** The root element; with `metadata-certificate`, read from the signed text. */
function rootOf(xml: string, certificate: string | undefined): XmlElement | MetadataRejection {
  const signedBy = certificate === undefined ? undefined : loadCertificates(certificate);
  if (signedBy && 'problem' in signedBy)
    return { problem: `its signature cannot be checked with metadata-certificate: ${signedBy.problem}` };
  const root = readMetadataXml(xml);
  if ('problem' in root || signedBy === undefined) return root;
  const found = verifyRootSignature(xml, signedBy);
  return 'problem' in found ? found : readMetadataXml(found.signed);
}

/** The elements from the root to the selected entity. */
function chosen(root: XmlElement, entityId: string | undefined): readonly XmlElement[] | MetadataRejection {
  const all = entities(root, []);
  const found = all.filter((lineage) => {
    const entity = lineage.at(-1);
    if (entityId !== undefined) return entity !== undefined && attribute(entity, 'entityID') === entityId;
    return entity !== undefined && children(entity, NAMESPACE.metadata, 'IDPSSODescriptor').length > 0;
  });
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (all.length === 0) return { problem: 'not SAML metadata' };
  if (entityId !== undefined) return { problem: `contains ${only ? 'more than one' : 'no'} entity ${entityId}` };
  if (!only) return { problem: 'contains no identity provider' };
  return { problem: `contains ${found.length} identity providers; set entity-id to select one` };
}

/** Every EntityDescriptor with its ancestors. */
function entities(element: XmlElement, outer: readonly XmlElement[]): readonly (readonly XmlElement[])[] {
  const lineage = [...outer, element];
  if (isNamed(element, NAMESPACE.metadata, 'EntityDescriptor')) return [lineage];
  if (!isNamed(element, NAMESPACE.metadata, 'EntitiesDescriptor')) return [];
  return element.children.flatMap((inner) => entities(inner, lineage));
}

/** Maximum of ignored parts that a problem lists. */
const MAX_REASONS = 3;

/** A problem with the parts that were ignored, since one of them may be its cause. */
function because(problem: string, ignored: readonly string[]): string {
  return [problem, ...ignored.slice(0, MAX_REASONS)].join('; ');
}

type Located = SamlEndpoint & { readonly responseUrl?: string };

function located(services: readonly XmlElement[], warnings: string[]): readonly Located[] {
  return services.flatMap((service) => {
    const binding = (['redirect', 'post'] as const).find((each) => BINDING_URI[each] === attribute(service, 'Binding'));
    if (binding === undefined) return [];
    const url = attribute(service, 'Location') ?? '';
    const responseUrl = attribute(service, 'ResponseLocation');
    const unusable = [url, responseUrl].find((each) => each !== undefined && !isUrl(each));
    if (unusable !== undefined) {
      const what = unusable === '' ? 'its Location is empty' : `it is not an http or https URL: ${printable(unusable)}`;
      warnings.push(`${service.name} by ${binding} is ignored: ${what}`);
      return [];
    }
    return [{ url, binding, ...withoutUndefined({ responseUrl }) }];
  });
}

/** Not javascript:, which a browser would run, and no fragment, which would swallow the message. */
function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s#]+$/.test(text) && URL.canParse(text);
}

/** The signing certificates that can be used, and why others cannot. */
function signingCertificates(role: XmlElement): { certificates: readonly string[]; ignored: readonly string[] } {
  const read = children(role, NAMESPACE.metadata, 'KeyDescriptor')
    .filter((key) => ['', 'signing'].includes(attribute(key, 'use') ?? ''))
    .flatMap((key) => children(key, NAMESPACE.signature, 'KeyInfo'))
    .flatMap((info) => children(info, NAMESPACE.signature, 'X509Data'))
    .flatMap((data) => children(data, NAMESPACE.signature, 'X509Certificate'))
    .map((certificate) => parseCertificate(derOf(textOf(certificate))));
  const ignored = read.flatMap((each, at) =>
    typeof each === 'string' ? [] : [`Signing certificate ${at + 1} is ignored: ${each.problem}`],
  );
  return { certificates: [...new Set(read.filter((each) => typeof each === 'string'))], ignored };
}

/** Some products write the lines of a PEM text around the base64 (XML signature 4.5.4.1 has none). */
function derOf(text: string): Buffer {
  return Buffer.from(text.replace(PEM_LINES, '$1'), 'base64');
}

function profilesOf(entity: XmlElement): readonly string[] {
  const values = children(entity, NAMESPACE.metadata, 'Extensions')
    .flatMap((extensions) => extensions.children)
    .filter(({ name }) => name === 'EntityAttributes')
    .flatMap((holder) => children(holder, NAMESPACE.assertion, 'Attribute'))
    .flatMap((element) => {
      const name = attribute(element, 'Name') ?? '';
      const values = children(element, NAMESPACE.assertion, 'AttributeValue').map(textOf);
      if (name === CERTIFICATION) return values;
      return CATEGORIES.includes(name) ? values.filter((value) => PROFILE.test(value)) : [];
    });
  return [...new Set(values)];
}

function children(parent: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return parent.children.filter((child) => isNamed(child, namespace, name));
}

function isNamed(element: XmlElement, namespace: string, name: string): boolean {
  return element.namespace === namespace && element.name === name;
}

/** Undefined also for an empty value. Blanks around a URI, a date or a duration do not belong to it (XML Schema 2, 4.3.6). */
function attribute({ attributes }: XmlElement, name: string): string | undefined {
  const value = (attributes.get(name) ?? '').replace(BLANKS_AROUND, '');
  return value === '' ? undefined : value;
}

function textOf({ text }: XmlElement): string {
  return text.trim();
}

function words(text = ''): readonly string[] {
  return text.split(/\s+/);
}
