import { elementsIn, readXml, type XmlElement } from './xml-reader.js';
import type { Rejection } from '../login/rejection.js';
import { NAMESPACE, ENVELOPED, EXCLUSIVE, RSA_SHA256, SHA256 } from './saml-uris.js';

/** In characters; the library searches the whole list for each element. */
const MAX_PREFIX_LIST_LENGTH = 255;

/** The SHA-2 methods of the library. HMAC is excluded: its secret would be the public certificate. */
const SIGNATURE_METHODS: readonly string[] = [
  RSA_SHA256,
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
];
const DIGEST_METHODS: readonly string[] = [SHA256, 'http://www.w3.org/2001/04/xmlenc#sha512'];

/** Algorithms by the name of the element that states them. */
export const ACCEPTED_ALGORITHMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['CanonicalizationMethod', [EXCLUSIVE]],
  ['SignatureMethod', SIGNATURE_METHODS],
  ['Transform', [ENVELOPED, EXCLUSIVE]],
  ['DigestMethod', DIGEST_METHODS],
]);

/**
 * Why a signature does not cover exactly the element around it (SAML core 5.4). The library looks up parts by local name,
 * anywhere below the signature, and takes the first of several. So each part is allowed in one place only.
 */
export function signatureFault(signature: XmlElement, signedId: string | undefined): Rejection | undefined {
  const [signedInfo, signatureValue, keyInfo] = signature.children;
  if (!consistsOf(signature, ['SignedInfo', 'SignatureValue', ...(keyInfo === undefined ? [] : ['KeyInfo'])])) {
    return 'structure';
  }
  if (signedInfo === undefined || signatureValue === undefined || !isText(signatureValue)) return 'structure';
  if (!consistsOf(signedInfo, ['CanonicalizationMethod', 'SignatureMethod', 'Reference'])) return 'structure';
  const [canonicalization, method, reference] = signedInfo.children;
  if (canonicalization === undefined || method === undefined || reference === undefined) return 'structure';
  if (!consistsOf(method, [])) return 'structure';
  if (signedId === undefined || reference.attributes.get('URI') !== `#${signedId}`) return 'structure';
  if ([...reference.attributes.keys()].some((name) => name.startsWith('{'))) return 'structure';
  if (!isCanonicalization(canonicalization)) return 'algorithm';
  if (!SIGNATURE_METHODS.includes(algorithmOf(method))) return 'algorithm';
  return referenceFault(reference);
}

function referenceFault(reference: XmlElement): Rejection | undefined {
  if (!consistsOf(reference, ['Transforms', 'DigestMethod', 'DigestValue'])) return 'structure';
  const [transforms, method, value] = reference.children;
  if (transforms === undefined || method === undefined || value === undefined) return 'structure';
  if (!consistsOf(method, []) || !isText(value)) return 'structure';
  const [enveloped, exclusive, ...others] = transforms.children;
  if (enveloped === undefined || exclusive === undefined || others.length > 0) return 'algorithm';
  if (!consistsOf(transforms, ['Transform', 'Transform']) || enveloped.children.length > 0) return 'structure';
  if (algorithmOf(enveloped) !== ENVELOPED || !isCanonicalization(exclusive)) return 'algorithm';
  return DIGEST_METHODS.includes(algorithmOf(method)) ? undefined : 'algorithm';
}

function isCanonicalization(element: XmlElement): boolean {
  const [parameter, ...others] = element.children;
  if (algorithmOf(element) !== EXCLUSIVE || others.length > 0) return false;
  return parameter === undefined || isPrefixList(parameter);
}

function isPrefixList({ name, namespace, attributes, children }: XmlElement): boolean {
  if (name !== 'InclusiveNamespaces' || namespace !== EXCLUSIVE || children.length > 0) return false;
  const prefixes = attributes.get('PrefixList');
  return attributes.size === 1 && prefixes !== undefined && prefixes.length <= MAX_PREFIX_LIST_LENGTH;
}

function algorithmOf({ attributes }: XmlElement): string {
  // The library would find a second attribute in a namespace by its local name, too.
  return attributes.size === 1 ? (attributes.get('Algorithm') ?? '') : '';
}

function isText({ children, text }: XmlElement): boolean {
  return children.length === 0 && text !== '';
}

function consistsOf({ children }: XmlElement, names: readonly string[]): boolean {
  if (children.length !== names.length) return false;
  return children.every(({ name, namespace }, at) => namespace === NAMESPACE.signature && name === names[at]);
}

const MAX_NAME_LENGTH = 120;

/** The first algorithm in a signature that is not accepted, for the log. */
export function rejectedAlgorithm(xml: string): string | undefined {
  const document = readXml(xml);
  if (typeof document === 'string') return undefined;
  const signatures = [...elementsIn(document)].filter(({ name }) => name === 'Signature');
  for (const { name, namespace, attributes } of signatures.flatMap((signature) => [...elementsIn(signature)])) {
    const accepted = namespace === NAMESPACE.signature ? ACCEPTED_ALGORITHMS.get(name) : undefined;
    const algorithm = attributes.get('Algorithm') ?? '';
    if (accepted?.includes(algorithm) === false) return printableAlgorithm(algorithm);
  }
  return undefined;
}

/** Makes the name of an algorithm, which the sender chose, safe for the log. */
export function printableAlgorithm(name: string): string {
  return name.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, MAX_NAME_LENGTH);
}
