import type { NameId } from '../login/response/assertion.js';
import { NAMESPACE, xmlAttribute, escapeXml } from '../xml/saml-values.js';

/** Common to both logout messages. */
export interface LogoutHead {
  readonly id: string;
  /** Our entity id. */
  readonly issuer: string;
  readonly destination: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A session at an identity provider, as stated in its assertion. */
export interface SessionAtIdp {
  readonly nameId: NameId;
  readonly sessionIndex?: string;
}

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
/** How long a request is valid. */
const LIFETIME_MILLIS = 300_000;

/** A LogoutRequest (SAML core 3.7.1); the NameID is as it was received. */
export function logoutRequestXml(head: LogoutHead, { nameId, sessionIndex }: SessionAtIdp): string {
  const { value, format, nameQualifier, spNameQualifier } = nameId;
  const name =
    `<saml:NameID${xmlAttribute('NameQualifier', nameQualifier)}${xmlAttribute('SPNameQualifier', spNameQualifier)}` +
    `${xmlAttribute('Format', format)}>${escapeXml(value)}</saml:NameID>`;
  const index = sessionIndex === undefined ? '' : `<samlp:SessionIndex>${escapeXml(sessionIndex)}</samlp:SessionIndex>`;
  const end = new Date(head.now + LIFETIME_MILLIS).toISOString();
  return messageXml('LogoutRequest', head, xmlAttribute('NotOnOrAfter', end), name + index);
}

/** A LogoutResponse with the status Success (SAML core 3.7.2). */
export function logoutResponseXml(head: LogoutHead, inResponseTo: string): string {
  const status = `<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status>`;
  return messageXml('LogoutResponse', head, xmlAttribute('InResponseTo', inResponseTo), status);
}

function messageXml(name: string, head: LogoutHead, attributes: string, content: string): string {
  const { id, issuer, destination, now } = head;
  return (
    `<samlp:${name} xmlns:samlp="${NAMESPACE.protocol}" xmlns:saml="${NAMESPACE.assertion}"${xmlAttribute('ID', id)}` +
    ` Version="2.0" IssueInstant="${new Date(now).toISOString()}"${xmlAttribute('Destination', destination)}` +
    `${attributes}><saml:Issuer>${escapeXml(issuer)}</saml:Issuer>${content}</samlp:${name}>`
  );
}
