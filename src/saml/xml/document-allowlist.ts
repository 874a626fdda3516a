import { elementsIn, readXml, type XmlElement } from './xml-reader.js';
import { decodeBase64, decodeText } from './xml-text.js';
import type { Rejection } from '../login/rejection.js';
import { NAMESPACE } from './saml-uris.js';
import { signatureFault } from './signature-allowlist.js';

/** Characters of base64; a usual response has about ten thousand. */
export const MAX_MESSAGE_LENGTH = 256 * 1024;

/** The root of a document: a message, or an assertion that was signed or encrypted. */
export type DocumentRoot = 'Response' | 'LogoutRequest' | 'LogoutResponse' | 'Assertion';

const XINCLUDE = /^http:\/\/www\.w3\.org\/200[13]\/XInclude$/;
const ID = /^[\w.:-]{1,255}$/;

/** Children in the order of the schemas (SAML core 3.2.2, 3.3.3, 2.3.3), each with a blank after it. */
const CHILDREN: Readonly<Record<DocumentRoot, RegExp>> = {
  Response: /^(?:Issuer )?(?:Signature )?(?:Extensions )?Status (?:(?:Assertion|EncryptedAssertion) )?$/,
  LogoutRequest: /^Issuer (?:Signature )?(?:Extensions )?(?:NameID|EncryptedID) (?:SessionIndex )*$/,
  LogoutResponse: /^(?:Issuer )?(?:Signature )?(?:Extensions )?Status $/,
  Assertion: /^Issuer (?:Signature )?(?:Subject )?(?:Conditions )?(?:Advice )?(?:\w*Statement )*$/,
};

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
export function readDocument(xml: string, root: DocumentRoot = 'Response'): XmlElement | Rejection {
  const document = readXml(xml);
  return typeof document === 'string' ? document : (documentFault(document, root) ?? document);
}

function documentFault(document: XmlElement, root: DocumentRoot): Rejection | undefined {
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
    const fault = signature && signatureFault(signature, element.attributes.get('ID'));
    if (fault !== undefined) return fault;
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

const PROTOCOL_NAMES: ReadonlySet<string> = new Set([
  ...['Response', 'LogoutRequest', 'LogoutResponse'],
  ...['Extensions', 'Status', 'SessionIndex'],
]);

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
