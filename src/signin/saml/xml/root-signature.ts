import { DOMParser } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';
import { ENVELOPED, EXCLUSIVE, NAMESPACE } from './saml-values.js';

const CANONICAL: readonly string[] = [EXCLUSIVE, 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'];
const SHA1: readonly string[] = [
  'http://www.w3.org/2000/09/xmldsig#sha1',
  'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
];

type Signed = { readonly signed: string } | { readonly problem: string };

/**
 * Verifies the signature of the root of metadata or of a posted message by one of the certificates (SAML core 5.4). Returns
 * the canonical text that was signed; only this text may be read afterwards. The document must have passed an allowlist.
 */
export function verifyRootSignature(xml: string, certificates: readonly string[]): Signed {
  const root = rootOf(xml);
  if (!root) return { problem: 'its signature cannot be read' };
  const signatures = Array.from(root.childNodes).filter(
    ({ nodeType, localName, namespaceURI }: Node & Partial<Pick<Element, 'localName' | 'namespaceURI'>>) =>
      nodeType === root.nodeType && localName === 'Signature' && namespaceURI === NAMESPACE.signature,
  );
  const [signature] = signatures;
  if (!signature || signatures.length > 1) return { problem: 'its root element has no signature, or more than one' };
  for (const publicCert of certificates) {
    const found = verifyWith(xml, root, signature, publicCert);
    if (found) return found;
  }
  return { problem: 'its signature does not verify with metadata-certificate' };
}

/** Parses for xml-crypto, which works on a DOM; undefined if the parser reports anything. */
function rootOf(xml: string): Element | undefined {
  const fail = (): never => {
    throw new SyntaxError('not well-formed');
  };
  try {
    const errorHandler = { warning: fail, error: fail, fatalError: fail };
    return new DOMParser({ errorHandler }).parseFromString(xml, 'text/xml').documentElement;
  } catch {
    return undefined; // the messages of the parser quote the document
  }
}

/** Undefined if another certificate may have signed the document. */
function verifyWith(xml: string, root: Element, signature: Node, publicCert: string): Signed | undefined {
  // The certificate in KeyInfo is chosen by the sender.
  const signedXml = new SignedXml({ publicCert, getCertFromKeyInfo: () => null });
  signedXml.idAttributes = ['ID'];
  signedXml.HashAlgorithms = without(signedXml.HashAlgorithms);
  signedXml.SignatureAlgorithms = without(signedXml.SignatureAlgorithms);
  try {
    signedXml.loadSignature(signature);
  } catch {
    return { problem: 'its signature is incomplete' };
  }
  const [reference, ...others] = signedXml.getReferences();
  const id = root.getAttribute('ID') ?? '';
  const isOfRoot = reference?.uri === '' || (id !== '' && reference?.uri === `#${id}`);
  if (!reference || others.length > 0 || !isOfRoot) return { problem: 'its signature does not cover the root element' };
  const [first, second = EXCLUSIVE, ...more] = reference.transforms;
  if (first !== ENVELOPED || !CANONICAL.includes(second) || more.length > 0) {
    return { problem: 'its signature has transforms that are not allowed' };
  }
  const { signatureAlgorithm = '', SignatureAlgorithms, HashAlgorithms } = signedXml;
  if (!(signatureAlgorithm in SignatureAlgorithms) || !(reference.digestAlgorithm in HashAlgorithms)) {
    return { problem: 'its signature uses an algorithm that is not accepted, such as SHA-1' };
  }
  try {
    const [signed] = signedXml.checkSignature(xml) ? signedXml.getSignedReferences() : [];
    return signed === undefined ? undefined : { signed };
  } catch {
    return undefined; // xml-crypto also throws for a signature by another key
  }
}

function without<T>(algorithms: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(algorithms).filter(([name]) => !SHA1.includes(name)));
}
