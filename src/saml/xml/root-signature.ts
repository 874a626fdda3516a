import { SignedXml } from 'xml-crypto';
import { ENVELOPED, EXCLUSIVE } from './signature-algorithms.js';

const CANONICAL: readonly string[] = [EXCLUSIVE, 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'];
const SHA1: readonly string[] = [
  'http://www.w3.org/2000/09/xmldsig#sha1',
  'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
];

type Signed = { readonly signed: string } | { readonly fault: string };

/**
 * The canonical text of the root of metadata or of a posted logout message as one of the certificates has signed it (SAML
 * core 5.4), or why it has not. Who reads what is signed reads this text and not the document.
 */
export function verifyRootSignature(xml: string, root: Element, certificates: readonly string[]): Signed {
  const signatures = Array.from(root.childNodes).filter(
    ({ nodeType, localName, namespaceURI }: Node & Partial<Pick<Element, 'localName' | 'namespaceURI'>>) =>
      nodeType === root.nodeType && localName === 'Signature' && namespaceURI === 'http://www.w3.org/2000/09/xmldsig#',
  );
  const [signature] = signatures;
  if (!signature || signatures.length > 1) return { fault: 'their root is not signed, or more than once' };
  for (const publicCert of certificates) {
    const found = verifyWith(xml, root, signature, publicCert);
    if (found) return found;
  }
  return { fault: 'their signature is not one by metadata-certificate of what they say' };
}

/** What the certificate has signed, or why nothing could have; undefined where it was not this one. */
function verifyWith(xml: string, root: Element, signature: Node, publicCert: string): Signed | undefined {
  // A certificate in KeyInfo is whatever the sender wrote there.
  const signedXml = new SignedXml({ publicCert, getCertFromKeyInfo: () => null });
  signedXml.idAttributes = ['ID'];
  signedXml.HashAlgorithms = without(signedXml.HashAlgorithms);
  signedXml.SignatureAlgorithms = without(signedXml.SignatureAlgorithms);
  try {
    signedXml.loadSignature(signature);
  } catch {
    return { fault: 'their signature is not whole' };
  }
  const [reference, ...others] = signedXml.getReferences();
  const id = root.getAttribute('ID') ?? '';
  const isOfRoot = reference?.uri === '' || (id !== '' && reference?.uri === `#${id}`);
  if (!reference || others.length > 0 || !isOfRoot) return { fault: 'their signature is not of their root' };
  const [first, second = EXCLUSIVE, ...more] = reference.transforms;
  if (first !== ENVELOPED || !CANONICAL.includes(second) || more.length > 0) {
    return { fault: 'their signature has transforms that no signature of metadata needs' };
  }
  const { signatureAlgorithm = '', SignatureAlgorithms, HashAlgorithms } = signedXml;
  if (!(signatureAlgorithm in SignatureAlgorithms) || !(reference.digestAlgorithm in HashAlgorithms)) {
    return { fault: 'their signature has an algorithm that is refused, such as SHA-1' };
  }
  try {
    const [signed] = signedXml.checkSignature(xml) ? signedXml.getSignedReferences() : [];
    return signed === undefined ? undefined : { signed };
  } catch {
    // It says in this way, too, that the signature is another one.
    return undefined;
  }
}

function without<T>(algorithms: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(algorithms).filter(([name]) => !SHA1.includes(name)));
}
