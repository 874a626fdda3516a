import type { Binding } from '../idp/idp-trust.js';

/** Namespaces of SAML 2.0 (core 1.2, metadata 1.1), of XML signatures and of XML encryption. */
export const NAMESPACE = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
} as const;

/** SAML bindings 3.4 and 3.5. */
export const BINDING_URI: Readonly<Record<Binding, string>> = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
};

/** The algorithm of our signatures: RSA with SHA-256 (RFC 9231, 2.3.2). */
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';

/** The two transforms of a SAML signature (core 5.4.4). */
export const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
