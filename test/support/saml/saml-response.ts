import type { EncryptionOptions } from './saml-encryption.js';
import type { SignatureOptions } from './saml-signature.js';
import { attribute, escaped, type Instant, messageId, NAMESPACE, PERSISTENT, SUCCESS, written } from './saml-xml.js';

type SignedParts = 'assertion' | 'response' | 'both' | 'none';

/** Options of a response. Every part has a valid default; null omits a part if its type permits it. */
export interface ResponseOptions {
  /** URL of the recipient: Destination and Recipient, unless those are set. */
  readonly acsUrl: string;
  readonly audience: string | null;
  /** Id of the request; without it, the response is unsolicited. */
  readonly inResponseTo?: string | null;
  /** Clock of the identity provider, from which all instants derive. */
  readonly now?: Instant;

  readonly nameId?: string | null;
  readonly nameIdFormat?: string | null;
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>;
  /** PasswordProtectedTransport by default. */
  readonly authnContextClassRef?: string | null;
  readonly authnInstant?: Instant;
  readonly sessionIndex?: string | null;
  readonly sessionNotOnOrAfter?: Instant | null;

  /** Issuer of assertion and response. */
  readonly issuer?: string;
  /** Issuer of the response, if it differs. */
  readonly responseIssuer?: string | null;
  readonly id?: string;
  readonly assertionId?: string;
  readonly issueInstant?: Instant;
  readonly destination?: string | null;
  readonly recipient?: string | null;
  /** InResponseTo of the confirmation, if it differs from that of the response. */
  readonly confirmationInResponseTo?: string | null;
  readonly notBefore?: Instant | null;
  /** Five minutes from now by default; also the end of the confirmation, unless the next option is set. */
  readonly notOnOrAfter?: Instant | null;
  readonly confirmationNotOnOrAfter?: Instant | null;
  /** With another status than Success, the response has no assertion and is signed itself. */
  readonly status?: string;
  /** Second-level status, such as urn:oasis:names:tc:SAML:2.0:status:AuthnFailed. */
  readonly subStatus?: string;

  /** The assertion only by default. */
  readonly signed?: SignedParts;
  readonly signature?: SignatureOptions;
  /** Certificate (PEM) of the recipient of an encrypted assertion, which is signed first, then encrypted. */
  readonly encryptFor?: string;
  readonly encryption?: EncryptionOptions;
  /** Changes the assertion before it is signed. */
  readonly bendAssertion?: (xml: string) => string;
  /** Changes the response with its signed or encrypted assertion, before the response is signed. */
  readonly bendResponse?: (xml: string) => string;
}

const MINUTE = 60_000;
const XML_SCHEMA = 'http://www.w3.org/2001/XMLSchema';

/** Text of an assertion without a signature (SAML core 2.3.3). */
export function assertionXml(entityId: string, options: ResponseOptions): string {
  const { now = Date.now(), issueInstant = now, issuer = entityId, assertionId = messageId(), audience } = options;
  const { notBefore = now, notOnOrAfter = Number(now) + 5 * MINUTE } = options;
  const restriction =
    audience === null
      ? ''
      : `<saml:AudienceRestriction><saml:Audience>${escaped(audience)}</saml:Audience></saml:AudienceRestriction>`;
  // Declares the prefix of messages here too, so that inclusive canonicalization is the same alone and in place.
  const isInclusive = options.signature?.canonicalization === 'inclusive';
  return (
    `<saml:Assertion xmlns:saml="${NAMESPACE.assertion}"${isInclusive ? ` xmlns:samlp="${NAMESPACE.protocol}"` : ''}` +
    `${attribute('ID', assertionId)} Version="2.0"${attribute('IssueInstant', written(issueInstant))}>` +
    `<saml:Issuer>${escaped(issuer)}</saml:Issuer>` +
    subject(options, notOnOrAfter) +
    `<saml:Conditions${attribute('NotBefore', written(notBefore))}` +
    `${attribute('NotOnOrAfter', written(notOnOrAfter))}>${restriction}</saml:Conditions>` +
    authnStatement(options, now) +
    attributeStatement(options.attributes ?? {}) +
    `</saml:Assertion>`
  );
}

/** Text of a response with or without an assertion (SAML core 3.3.3). */
export function responseXml(entityId: string, assertion: string, options: ResponseOptions): string {
  const {
    now = Date.now(),
    issueInstant = now,
    issuer = entityId,
    responseIssuer = issuer,
    id = messageId(),
  } = options;
  const { acsUrl, destination = acsUrl, status = SUCCESS, subStatus } = options;
  return (
    `<samlp:Response xmlns:samlp="${NAMESPACE.protocol}"${attribute('ID', id)} Version="2.0"` +
    `${attribute('IssueInstant', written(issueInstant))}${attribute('Destination', destination)}` +
    `${attribute('InResponseTo', options.inResponseTo)}>` +
    issuerXml(responseIssuer) +
    statusXml(status, subStatus) +
    `${assertion}</samlp:Response>`
  );
}

/** Issuer of a message, which declares its own prefix; nothing for null. */
export function issuerXml(issuer: string | null): string {
  if (issuer === null) return '';
  return `<saml:Issuer xmlns:saml="${NAMESPACE.assertion}">${escaped(issuer)}</saml:Issuer>`;
}

/** Status of a response (SAML core 3.2.2.1). */
export function statusXml(status: string, subStatus?: string): string {
  const inner = subStatus === undefined ? '' : `<samlp:StatusCode${attribute('Value', subStatus)}/>`;
  return `<samlp:Status><samlp:StatusCode${attribute('Value', status)}>${inner}</samlp:StatusCode></samlp:Status>`;
}

function subject(options: ResponseOptions, end: Instant | null): string {
  const { nameId = 'staff-1', nameIdFormat = PERSISTENT, acsUrl, recipient = acsUrl, inResponseTo } = options;
  const { confirmationInResponseTo = inResponseTo, confirmationNotOnOrAfter = end } = options;
  return (
    `<saml:Subject>` +
    (nameId === null ? '' : `<saml:NameID${attribute('Format', nameIdFormat)}>${escaped(nameId)}</saml:NameID>`) +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
    `<saml:SubjectConfirmationData${attribute('NotOnOrAfter', written(confirmationNotOnOrAfter))}` +
    `${attribute('Recipient', recipient)}${attribute('InResponseTo', confirmationInResponseTo)}/>` +
    `</saml:SubjectConfirmation></saml:Subject>`
  );
}

function authnStatement(options: ResponseOptions, now: Instant): string {
  const { authnInstant = now, sessionIndex = messageId() } = options;
  const { sessionNotOnOrAfter = Number(now) + 480 * MINUTE } = options;
  const { authnContextClassRef = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport' } = options;
  const reference =
    authnContextClassRef === null
      ? ''
      : `<saml:AuthnContextClassRef>${escaped(authnContextClassRef)}</saml:AuthnContextClassRef>`;
  return (
    `<saml:AuthnStatement${attribute('AuthnInstant', written(authnInstant))}` +
    `${attribute('SessionNotOnOrAfter', written(sessionNotOnOrAfter))}${attribute('SessionIndex', sessionIndex)}>` +
    `<saml:AuthnContext>${reference}</saml:AuthnContext></saml:AuthnStatement>`
  );
}

function attributeStatement(attributes: Readonly<Record<string, string | readonly string[]>>): string {
  const written = Object.entries(attributes).map(([name, values]) => {
    const each = [values].flat().map((value) => `<saml:AttributeValue ${TYPE}>${escaped(value)}</saml:AttributeValue>`);
    return `<saml:Attribute${attribute('Name', name)} NameFormat="${URI_NAMES}">${each.join('')}</saml:Attribute>`;
  });
  return written.length === 0 ? '' : `<saml:AttributeStatement>${written.join('')}</saml:AttributeStatement>`;
}

const TYPE = `xmlns:xs="${XML_SCHEMA}" xmlns:xsi="${XML_SCHEMA}-instance" xsi:type="xs:string"`;
const URI_NAMES = 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri';
