import { readFileSync } from 'node:fs';
import { makeCertificate } from '../http/certificates.js';
import { encryptAssertion } from './saml-encryption.js';
import {
  type LogoutOptions,
  logoutRequestXml,
  type LogoutRequestOptions,
  logoutResponseXml,
  type LogoutResponseOptions,
} from './saml-logout.js';
import { sent, type SentMessage } from './saml-messages.js';
import { entityDescriptor, type MetadataOptions } from './saml-metadata.js';
import { assertionXml, type ResponseOptions, responseXml } from './saml-response.js';
import { type SignatureOptions, signXml } from './saml-signature.js';
import { type KeyPair, messageId, SUCCESS } from './saml-xml.js';

export interface IdentityProviderOptions {
  readonly entityId?: string;
  readonly keyPair?: KeyPair;
}

/** A SAML 2.0 identity provider whose messages tests can alter in every part and sign. */
export class IdentityProvider {
  /** The certificate (PEM) of the signing key. */
  readonly certificate: string;

  private constructor(
    readonly entityId: string,
    readonly keyPair: KeyPair,
  ) {
    this.certificate = keyPair.certificate;
  }

  /** Creates an identity provider with a new key and certificate, unless they are given. */
  static make(options: IdentityProviderOptions = {}): IdentityProvider {
    const { entityId = 'https://idp.test/metadata', keyPair = makeKeyPair() } = options;
    return new IdentityProvider(entityId, keyPair);
  }

  /** XML text of a response to an AuthnRequest. */
  response(options: ResponseOptions): string {
    const { status = SUCCESS, signed = status === SUCCESS ? 'assertion' : 'response', signature } = options;
    const assertion = status === SUCCESS ? this.assertion(options) : '';
    const { bendResponse = same } = options;
    const response = bendResponse(responseXml(this.entityId, assertion, options));
    return signed === 'response' || signed === 'both' ? this.sign(response, null, signature) : response;
  }

  /** XML text of the assertion of a response: signed, and encrypted if configured. */
  assertion(options: ResponseOptions): string {
    const { signed = 'assertion', signature, bendAssertion = same, encryptFor, encryption } = options;
    const honest = bendAssertion(assertionXml(this.entityId, options));
    const assertion = signed === 'assertion' || signed === 'both' ? this.sign(honest, null, signature) : honest;
    return encryptFor === undefined ? assertion : encryptAssertion(assertion, encryptFor, encryption);
  }

  /** XML text of its metadata. */
  metadata(options: MetadataOptions = {}): string {
    return entityDescriptor(this.entityId, this.certificate, options);
  }

  /** A LogoutRequest to a service. */
  logoutRequest(options: LogoutRequestOptions): SentMessage {
    const { id = messageId() } = options;
    return this.sentLogout('SAMLRequest', id, logoutRequestXml(this.entityId, id, options), options);
  }

  /** A LogoutResponse to a service. */
  logoutResponse(options: LogoutResponseOptions): SentMessage {
    const { id = messageId() } = options;
    return this.sentLogout('SAMLResponse', id, logoutResponseXml(this.entityId, id, options), options);
  }

  /** Signs the element with this ID, or the root for null, without checking its content. */
  sign(xml: string, id: string | null = null, options: SignatureOptions = {}): string {
    return signXml(xml, id, this.keyPair, options);
  }

  private sentLogout(
    field: 'SAMLRequest' | 'SAMLResponse',
    id: string,
    xml: string,
    options: LogoutOptions,
  ): SentMessage {
    const { url, binding = 'redirect', relayState, isSigned = true, signature } = options;
    const signer = isSigned ? { keyPair: this.keyPair, options: signature } : undefined;
    return sent(id, xml, { url, binding, field, relayState, signer });
  }
}

/** An RSA key with a self-signed certificate, for either side; its validity is too long for expiry warnings. */
export function makeKeyPair(name = 'idp.test', days = 365): KeyPair {
  const { pem, key } = makeCertificate({ name, days, key: 'rsa' });
  return { certificate: pem, privateKey: readFileSync(key, 'utf8') };
}

function same(xml: string): string {
  return xml;
}
