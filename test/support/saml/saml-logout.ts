import { issuerXml, statusXml } from './saml-response.js';
import type { SignatureOptions } from './saml-signature.js';
import { attribute, type Binding, escaped, type Instant, NAMESPACE, PERSISTENT, SUCCESS, written } from './saml-xml.js';

/** Common options of logout messages; the defaults are valid, and null omits a part. */
export interface LogoutOptions {
  /** URL of the recipient; also the Destination, unless that is set. */
  readonly url: string;
  /** HTTP-Redirect by default. */
  readonly binding?: Binding;
  readonly relayState?: string;
  readonly id?: string;
  readonly now?: Instant;
  readonly issueInstant?: Instant;
  readonly destination?: string | null;
  readonly issuer?: string | null;
  /** True by default. */
  readonly isSigned?: boolean;
  readonly signature?: SignatureOptions;
  /** Changes the message before it is signed. */
  readonly bend?: (xml: string) => string;
}

export interface LogoutRequestOptions extends LogoutOptions {
  readonly nameId: string;
  readonly nameIdFormat?: string | null;
  /** An empty list requests the logout of all sessions. */
  readonly sessionIndexes?: readonly string[];
  /** Five minutes from now by default. */
  readonly notOnOrAfter?: Instant | null;
}

export interface LogoutResponseOptions extends LogoutOptions {
  readonly inResponseTo?: string | null;
  readonly status?: string;
}

/** SAML core 3.7.1. */
export function logoutRequestXml(entityId: string, id: string, options: LogoutRequestOptions): string {
  const { now = Date.now(), notOnOrAfter = Number(now) + 300_000, nameId, nameIdFormat = PERSISTENT } = options;
  const indexes = (options.sessionIndexes ?? []).map(
    (index) => `<samlp:SessionIndex>${escaped(index)}</samlp:SessionIndex>`,
  );
  return messageXml('LogoutRequest', entityId, id, options, attribute('NotOnOrAfter', written(notOnOrAfter)), [
    `<saml:NameID xmlns:saml="${NAMESPACE.assertion}"${attribute('Format', nameIdFormat)}>${escaped(nameId)}</saml:NameID>`,
    ...indexes,
  ]);
}

/** SAML core 3.7.2. */
export function logoutResponseXml(entityId: string, id: string, options: LogoutResponseOptions): string {
  const { inResponseTo, status = SUCCESS } = options;
  return messageXml('LogoutResponse', entityId, id, options, attribute('InResponseTo', inResponseTo), [
    statusXml(status),
  ]);
}

function messageXml(
  name: string,
  entityId: string,
  id: string,
  options: LogoutOptions,
  attributes: string,
  content: readonly string[],
): string {
  const { now = Date.now(), issueInstant = now, url, destination = url, issuer = entityId, bend } = options;
  const xml =
    `<samlp:${name} xmlns:samlp="${NAMESPACE.protocol}"${attribute('ID', id)} Version="2.0"` +
    `${attribute('IssueInstant', written(issueInstant))}${attribute('Destination', destination)}${attributes}>` +
    `${issuerXml(issuer)}${content.join('')}</samlp:${name}>`;
  return bend === undefined ? xml : bend(xml);
}
