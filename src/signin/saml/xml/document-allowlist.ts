import { elementsIn, readXml, type XmlElement } from './xml-reader.js';
import type { SamlRejection } from '../login/rejection.js';
import {
  NAMESPACE,
  ENVELOPED,
  EXCLUSIVE,
  RSA_SHA256,
  SHA256,
  decodeBase64,
  decodeText,
  printable,
} from './saml-values.js';

/** Characters of base64; a usual response has about ten thousand. */
export const MAX_MESSAGE_LENGTH = 256 * 1024;

/** The root of a document: a message, or an assertion that was signed or encrypted. */
export type DocumentRoot = 'Response' | 'LogoutRequest' | 'LogoutResponse' | 'Assertion';

const XINCLUDE = /^http:\/\/www\.w3\.org\/200[13]\/XInclude$/;
const ID = /^[\w.:-]{1,255}$/;

/** Children in the order of the schemas (SAML core 3.2.2, 3.3.3, 2.3.3), each followed by a space. */
const CHILDREN: Readonly<Record<DocumentRoot, RegExp>> = {
  Response: /^(?:Issuer )?(?:Signature )?(?:Extensions )?Status (?:(?:Assertion|EncryptedAssertion) )?$/,
  LogoutRequest: /^Issuer (?:Signature )?(?:Extensions )?(?:NameID|EncryptedID) (?:SessionIndex )*$/,
  LogoutResponse: /^(?:Issuer )?(?:Signature )?(?:Extensions )?Status $/,
  Assertion: /^Issuer (?:Signature )?(?:Subject )?(?:Conditions )?(?:Advice )?(?:\w*Statement )*$/,
};

const PROTOCOL_NAMES: ReadonlySet<string> = new Set([
  ...['Response', 'LogoutRequest', 'LogoutResponse'],
  ...['Extensions', 'Status', 'SessionIndex'],
]);

/**
 * Decodes base64, which may contain line breaks (SAML bindings 3.5.4); undefined if it is too long, not base64, or not UTF-8,
 * such as compressed data.
 */
export function decodeMessage(base64: string): string | undefined {
  if (base64.length > MAX_MESSAGE_LENGTH) return undefined;
  const bytes = decodeBase64(base64.replace(/[\r\n]+/g, ''));
  return bytes && decodeText(bytes);
}

/**
 * Reads a document and rejects it, before any parser of the library sees it, unless it matches the allowlist: assertions and
 * signatures only in their places, unique IDs, no weak or unusual algorithm.
 */
export function readDocument(xml: string, root: DocumentRoot = 'Response'): XmlElement | SamlRejection {
  const document = readXml(xml);
  return typeof document === 'string' ? document : (documentRejection(document, root) ?? document);
}

function documentRejection(document: XmlElement, root: DocumentRoot): SamlRejection | undefined {
  if (document.name !== root || document.namespace !== namespaceOf(root)) return 'structure';
  if (!hasChildrenInPlace(document, root)) return 'structure';
  const ids = new Set<string>();
  const signed = root === 'Assertion' ? [document] : [document, ...document.children.filter(isAssertion)];
  const signatures = new Set(signed.flatMap(({ children }) => children.filter(isSignature)));
  const assertions = new Set(signed.filter(isAssertion));
  for (const element of elementsIn(document)) {
    if (XINCLUDE.test(element.namespace) || !addId(ids, element)) return 'structure';
    if (isAssertion(element) && !assertions.has(element)) return 'structure';
    if (isSignature(element) && !signatures.has(element)) return 'structure';
  }
  for (const element of signed) {
    if (element.name === 'Assertion' && !hasChildrenInPlace(element, 'Assertion')) return 'structure';
    const signature = element.children.find(isSignature);
    const rejection = signature && signatureRejection(signature, element.attributes.get('ID'));
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}

function hasChildrenInPlace({ children }: XmlElement, root: DocumentRoot): boolean {
  const names = children.map(({ name }) => `${name} `).join('');
  return CHILDREN[root].test(names) && children.every((child) => child.namespace === namespaceOf(child.name));
}

function namespaceOf(name: string): string {
  if (name === 'Signature') return NAMESPACE.signature;
  return PROTOCOL_NAMES.has(name) ? NAMESPACE.protocol : NAMESPACE.assertion;
}

// In any namespace: the library looks them up by local name.
function isAssertion({ name }: XmlElement): boolean {
  return name === 'Assertion' || name === 'EncryptedAssertion';
}

function isSignature({ name }: XmlElement): boolean {
  return name === 'Signature';
}

/** False for a duplicate ID; the library accepts ID, Id and id of any namespace as one. */
function addId(ids: Set<string>, { attributes }: XmlElement): boolean {
  const own = [...attributes].filter(([name]) => /(?:^|\})id$/i.test(name));
  return own.every(([, id]) => ID.test(id) && ids.size < ids.add(id).size) && own.length < 2;
}

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
const ACCEPTED_ALGORITHMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['CanonicalizationMethod', [EXCLUSIVE]],
  ['SignatureMethod', SIGNATURE_METHODS],
  ['Transform', [ENVELOPED, EXCLUSIVE]],
  ['DigestMethod', DIGEST_METHODS],
]);

/**
 * Why a signature does not cover exactly the element around it (SAML core 5.4). The library looks up parts by local name,
 * anywhere below the signature, and takes the first of several. So each part is allowed in one place only.
 */
function signatureRejection(signature: XmlElement, signedId: string | undefined): SamlRejection | undefined {
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
  return referenceRejection(reference);
}

function referenceRejection(reference: XmlElement): SamlRejection | undefined {
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

/** The first algorithm in a signature that is not accepted, for the log. */
export function rejectedAlgorithm(xml: string): string | undefined {
  const document = readXml(xml);
  if (typeof document === 'string') return undefined;
  const signatures = [...elementsIn(document)].filter(({ name }) => name === 'Signature');
  for (const { name, namespace, attributes } of signatures.flatMap((signature) => [...elementsIn(signature)])) {
    const accepted = namespace === NAMESPACE.signature ? ACCEPTED_ALGORITHMS.get(name) : undefined;
    const algorithm = attributes.get('Algorithm') ?? '';
    if (accepted?.includes(algorithm) === false) return printable(algorithm);
  }
  return undefined;
}
