import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  isQuerySignedBy,
  isRootSignedBy,
  type SignatureOptions,
  signatureOf,
  signQuery,
  signXml,
} from './saml-signature.js';
import { type Binding, elementsOf, type KeyPair, rootOf, textOf, valueOf } from './saml-xml.js';

type Field = 'SAMLRequest' | 'SAMLResponse';

/** A message in a browser: the URL of a redirect (HTTP-Redirect), or the fields of a form (HTTP-POST). */
export type Carried = string | Readonly<Record<string, string>>;

/** A message ready for a browser. */
export interface SentMessage {
  readonly id: string;
  readonly xml: string;
  /** Target URL; for HTTP-Redirect its query contains the message. */
  readonly url: string;
  /** Form fields for HTTP-POST. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Common content of all messages of a service. */
interface ReceivedMessage {
  readonly binding: Binding;
  readonly xml: string;
  readonly id: string | undefined;
  readonly issuer: string | undefined;
  readonly destination: string | undefined;
  readonly issueInstant: string | undefined;
  readonly relayState: string | undefined;
  /** Whether the message is signed. */
  readonly isSigned: boolean;
  /** URI of the signature algorithm. */
  readonly signatureAlgorithm: string | undefined;
  /** Whether the signature matches the given certificate. */
  readonly isVerified: boolean;
}

export interface AuthnRequest extends ReceivedMessage {
  readonly acsUrl: string | undefined;
  readonly protocolBinding: string | undefined;
  readonly isForced: boolean;
  readonly isPassive: boolean;
  readonly nameIdPolicyFormat: string | undefined;
  readonly requestedClasses: readonly string[];
  readonly comparison: string | undefined;
}

export interface LogoutRequest extends ReceivedMessage {
  readonly nameId: string | undefined;
  readonly nameIdFormat: string | undefined;
  readonly sessionIndexes: readonly string[];
  readonly notOnOrAfter: string | undefined;
}

export interface LogoutResponse extends ReceivedMessage {
  readonly inResponseTo: string | undefined;
  readonly status: string | undefined;
}

/** Reads an AuthnRequest of a service and checks its signature (SAML core 3.4.1). */
export function readAuthnRequest(carried: Carried, certificate?: string): AuthnRequest {
  const { root, message } = received('SAMLRequest', 'AuthnRequest', carried, certificate);
  const [policy] = elementsOf(root, 'protocol', 'NameIDPolicy');
  const [context] = elementsOf(root, 'protocol', 'RequestedAuthnContext');
  const classes = elementsOf(root, 'assertion', 'AuthnContextClassRef');
  return {
    ...message,
    acsUrl: valueOf(root, 'AssertionConsumerServiceURL'),
    protocolBinding: valueOf(root, 'ProtocolBinding'),
    isForced: isTrue(valueOf(root, 'ForceAuthn')),
    isPassive: isTrue(valueOf(root, 'IsPassive')),
    nameIdPolicyFormat: valueOf(policy, 'Format'),
    requestedClasses: classes.map(({ textContent }) => textContent),
    comparison: valueOf(context, 'Comparison'),
  };
}

/** Reads a LogoutRequest of a service (SAML core 3.7.1). */
export function readLogoutRequest(carried: Carried, certificate?: string): LogoutRequest {
  const { root, message } = received('SAMLRequest', 'LogoutRequest', carried, certificate);
  return {
    ...message,
    nameId: textOf(root, 'assertion', 'NameID'),
    nameIdFormat: valueOf(elementsOf(root, 'assertion', 'NameID')[0], 'Format'),
    sessionIndexes: elementsOf(root, 'protocol', 'SessionIndex').map(({ textContent }) => textContent),
    notOnOrAfter: valueOf(root, 'NotOnOrAfter'),
  };
}

/** Reads a LogoutResponse of a service (SAML core 3.7.2). */
export function readLogoutResponse(carried: Carried, certificate?: string): LogoutResponse {
  const { root, message } = received('SAMLResponse', 'LogoutResponse', carried, certificate);
  return {
    ...message,
    inResponseTo: valueOf(root, 'InResponseTo'),
    status: valueOf(elementsOf(root, 'protocol', 'StatusCode')[0], 'Value'),
  };
}

export interface SendOptions {
  readonly url: string;
  readonly binding: Binding;
  readonly field: Field;
  readonly relayState?: string | undefined;
  /** Without it, the message is not signed. */
  readonly signer?: { readonly keyPair: KeyPair; readonly options?: SignatureOptions | undefined } | undefined;
}

/** Prepares a message for a browser: compressed in a signed query, or signed inside and in a form. */
export function sent(id: string, xml: string, { url, binding, field, relayState, signer }: SendOptions): SentMessage {
  if (binding === 'post') {
    const signed = signer === undefined ? xml : signXml(xml, null, signer.keyPair, signer.options);
    const fields = { [field]: encoded(signed), ...(relayState === undefined ? {} : { RelayState: relayState }) };
    return { id, xml: signed, url, fields };
  }
  const message = `${field}=${encodeURIComponent(deflateRawSync(xml).toString('base64'))}`;
  const query = relayState === undefined ? message : `${message}&RelayState=${encodeURIComponent(relayState)}`;
  const signed = signer === undefined ? query : signQuery(query, signer.keyPair, signer.options);
  return { id, xml, url: `${url}${url.includes('?') ? '&' : '?'}${signed}` };
}

/** Value of a form field that carries a message (SAML bindings 3.5.4). */
export function encoded(xml: string): string {
  return Buffer.from(xml).toString('base64');
}

function received(field: Field, name: string, carried: Carried, certificate = '') {
  const query = typeof carried === 'string' ? carried.slice(carried.indexOf('?') + 1) : '';
  const isByRedirect = typeof carried === 'string';
  const fields = isByRedirect ? Object.fromEntries(new URLSearchParams(query)) : carried;
  const octets = Buffer.from(fields[field] ?? '', 'base64');
  const xml = (isByRedirect ? inflateRawSync(octets) : octets).toString();
  const root = rootOf(xml);
  if (root.localName !== name) throw new Error(`${field} holds ${root.localName} in place of ${name}`);
  const signature = signatureOf(root);
  const [method] = signature === undefined ? [] : elementsOf(signature, 'signature', 'SignatureMethod');
  const isSigned = isByRedirect ? 'Signature' in fields : signature !== undefined;
  const isOf = isByRedirect ? () => isQuerySignedBy(query, certificate) : () => isRootSignedBy(xml, certificate);
  const message: ReceivedMessage = {
    binding: isByRedirect ? 'redirect' : 'post',
    xml,
    id: valueOf(root, 'ID'),
    issuer: textOf(root, 'assertion', 'Issuer'),
    destination: valueOf(root, 'Destination'),
    issueInstant: valueOf(root, 'IssueInstant'),
    relayState: fields['RelayState'],
    isSigned,
    signatureAlgorithm: isByRedirect ? fields['SigAlg'] : valueOf(method, 'Algorithm'),
    isVerified: isSigned && certificate !== '' && isOf(),
  };
  return { root, message };
}

function isTrue(value: string | undefined): boolean {
  return value === 'true' || value === '1';
}
