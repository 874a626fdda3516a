import { createSign, createVerify } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { type KeyPair, NAMESPACE, rootOf, valueOf } from './saml-xml.js';

const SIGNATURE_URI = {
  'rsa-sha1': 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  'rsa-sha256': 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'rsa-sha512': 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'hmac-sha1': 'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
} as const;

const ALGORITHMS = ['rsa-sha1', 'rsa-sha256', 'rsa-sha512'] as const;
const HASH = { 'rsa-sha1': 'sha1', 'rsa-sha256': 'sha256', 'rsa-sha512': 'sha512', 'hmac-sha1': 'sha1' } as const;

const DIGEST_URI = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
} as const;

const CANONICALIZATION_URI = {
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  'exclusive-with-comments': 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
  inclusive: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
} as const;

const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

/** Signature options; by default RSA with SHA-256 and exclusive canonicalization, as the SAML profile requires. */
export interface SignatureOptions {
  /** A foreign key in place of that of the identity provider. */
  readonly keyPair?: KeyPair;
  /** `hmac-sha1` uses the text of the public certificate as its secret (key confusion). */
  readonly algorithm?: keyof typeof SIGNATURE_URI;
  readonly digest?: keyof typeof DIGEST_URI;
  readonly canonicalization?: keyof typeof CANONICALIZATION_URI;
  /** URIs of the transforms in place of enveloped signature and canonicalization. */
  readonly transforms?: readonly string[];
  /** PEM of the certificate in KeyInfo in place of the signer's; null omits KeyInfo. */
  readonly keyInfo?: string | null;
}

/** Signs an element by its ID, or the root; the signature follows its Issuer, or comes first (SAML core 5.4). */
export function signXml(xml: string, id: string | null, own: KeyPair, options: SignatureOptions = {}): string {
  const { keyPair = own, algorithm = 'rsa-sha256', digest = 'sha256', canonicalization = 'exclusive' } = options;
  const element = id === null ? '/*' : `(//*[@ID='${id}'])[1]`;
  const isKeyConfused = algorithm === 'hmac-sha1';
  const { keyInfo = isKeyConfused ? null : keyPair.certificate } = options;
  const signer = new SignedXml({
    idAttribute: 'ID',
    privateKey: isKeyConfused ? keyPair.certificate : keyPair.privateKey,
    signatureAlgorithm: SIGNATURE_URI[algorithm],
    canonicalizationAlgorithm: CANONICALIZATION_URI[canonicalization],
    ...(keyInfo === null ? {} : { publicCert: keyInfo }),
  });
  if (isKeyConfused) signer.enableHMAC();
  const { transforms = [ENVELOPED, CANONICALIZATION_URI[canonicalization]] } = options;
  signer.addReference({ xpath: element, transforms, digestAlgorithm: DIGEST_URI[digest] });
  const reference = `(${element}/*[not(local-name()='Issuer')])[1]`;
  signer.computeSignature(xml, { prefix: 'ds', location: { reference, action: 'before' } });
  return signer.getSignedXml();
}

/** True if the whole root is signed with the key of this certificate. */
export function isRootSignedBy(xml: string, certificate: string): boolean {
  const root = rootOf(xml);
  const signature = signatureOf(root);
  if (signature === undefined) return false;
  const verifier = new SignedXml({ publicCert: certificate });
  verifier.loadSignature(signature);
  try {
    if (!verifier.checkSignature(xml)) return false;
  } catch {
    return false; // thrown for a wrong key, too
  }
  const [reference, ...others] = verifier.getReferences();
  return others.length === 0 && reference?.uri === `#${valueOf(root, 'ID') ?? ''}`;
}

/** The signature that is a child of an element. */
export function signatureOf(element: Element): Element | undefined {
  return Array.from(element.getElementsByTagNameNS(NAMESPACE.signature, 'Signature')).find(
    ({ parentNode }) => parentNode === element,
  );
}

/** Adds `SigAlg` and `Signature` to the query of a message by HTTP-Redirect (SAML bindings 3.4.4.1). */
export function signQuery(query: string, own: KeyPair, options: SignatureOptions = {}): string {
  const { keyPair = own, algorithm = 'rsa-sha256' } = options;
  const signed = `${query}&SigAlg=${encodeURIComponent(SIGNATURE_URI[algorithm])}`;
  const signature = createSign(HASH[algorithm]).update(signed).sign(keyPair.privateKey, 'base64');
  return `${signed}&Signature=${encodeURIComponent(signature)}`;
}

/** True if the received octets of a query are signed with the key of this certificate. */
export function isQuerySignedBy(query: string, certificate: string): boolean {
  const parameters = query.split('&');
  const raw = (name: string) => parameters.find((parameter) => parameter.startsWith(`${name}=`));
  const message = raw('SAMLRequest') ?? raw('SAMLResponse');
  const [relayState, sigAlg] = [raw('RelayState'), raw('SigAlg')];
  const { SigAlg: uri, Signature: signature } = Object.fromEntries(new URLSearchParams(query));
  const algorithm = ALGORITHMS.find((name) => SIGNATURE_URI[name] === uri);
  if (message === undefined || algorithm === undefined || signature === undefined) return false;
  const signed = [message, ...(relayState === undefined ? [] : [relayState]), sigAlg].join('&');
  return createVerify(HASH[algorithm]).update(signed).verify(certificate, signature, 'base64');
}
