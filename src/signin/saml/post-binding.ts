import { decodeMessage, type DocumentRoot, readDocument } from './xml/document-allowlist.js';
import { isRejection, type SamlRejection } from './login/rejection.js';
import type { SigningKeys } from './sp/service-provider.js';
import { ENVELOPED, EXCLUSIVE, RSA_SHA256, SHA256 } from './xml/saml-values.js';

/**
 * The signed text of a posted message, without the signature, or why it is rejected (SAML bindings 3.5.4, core 5.4). Only this
 * text may be read afterwards, not the posted document.
 */
export async function readPost(
  base64: string,
  root: DocumentRoot,
  certificates: readonly string[],
): Promise<{ readonly xml: string } | SamlRejection> {
  const xml = decodeMessage(base64);
  if (xml === undefined) return 'malformed';
  const document = readDocument(xml, root);
  if (isRejection(document)) return document;
  if (!document.children.some(({ name }) => name === 'Signature')) return 'signature';
  const { verifyRootSignature } = await import('./xml/root-signature.js');
  const found = verifyRootSignature(xml, certificates);
  return 'signed' in found ? { xml: found.signed } : 'signature';
}

/** Signs a message, with the signature after its Issuer, and encodes it in base64 (SAML core 5.4). */
export async function signForPost(xml: string, { privateKey, certificate }: SigningKeys): Promise<string> {
  const { SignedXml } = await import('xml-crypto');
  const signer = new SignedXml({
    privateKey,
    publicCert: certificate,
    idAttribute: 'ID',
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  signer.addReference({ xpath: '/*', transforms: [ENVELOPED, EXCLUSIVE], digestAlgorithm: SHA256 });
  const location = { reference: "/*/*[local-name()='Issuer']", action: 'after' } as const;
  signer.computeSignature(xml, { prefix: 'ds', location });
  return Buffer.from(signer.getSignedXml()).toString('base64');
}
