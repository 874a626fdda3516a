import { issuerOf, nameIdOf, type NameId } from '../login/response/assertion.js';
import { millisOfInstant } from '../xml/saml-values.js';
import type { XmlElement } from '../xml/xml-reader.js';
import { isRejection, type SamlRejection } from '../login/rejection.js';
import { readResponse, type ResponseFacts } from '../login/response/response.js';

/** Common to both logout messages; instants in milliseconds since 1970. */
interface LogoutHead {
  readonly id: string;
  readonly issuer: string;
  readonly destination: string | undefined;
  readonly issueInstant: number;
}

/** SAML core 3.7.1. */
export interface LogoutRequestFacts extends LogoutHead {
  readonly kind: 'request';
  readonly nameId: NameId;
  /** An empty list means every session of the user. */
  readonly sessionIndexes: readonly string[];
  readonly notOnOrAfter: number | undefined;
}

/** SAML core 3.7.2. */
export interface LogoutResponseFacts extends LogoutHead {
  readonly kind: 'response';
  readonly inResponseTo: string | undefined;
  readonly status: ResponseFacts['status'];
}

/** What a message to this service must state. */
export interface LogoutExpectations {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** URL at which the message was received. */
  readonly destination: string;
  readonly skewMillis: number;
  readonly maxAgeMillis: number;
}

/**
 * Reads a LogoutRequest that passed the allowlist. An encrypted identifier is rejected, because no user signs in with one, so
 * it matches no session.
 */
export function readLogoutRequest(document: XmlElement): LogoutRequestFacts | SamlRejection {
  const head = readHead(document);
  if (isRejection(head)) return head;
  const nameId = nameIdOf(document) ?? 'name_id';
  if (isRejection(nameId)) return nameId;
  const indexes = document.children.filter(({ name }) => name === 'SessionIndex');
  if (indexes.some(({ children, text }) => children.length > 0 || text === '')) return 'structure';
  const end = document.attributes.get('NotOnOrAfter');
  const notOnOrAfter = end === undefined ? undefined : millisOfInstant(end);
  if (end !== undefined && notOnOrAfter === undefined) return 'structure';
  return { kind: 'request', ...head, nameId, sessionIndexes: indexes.map(({ text }) => text), notOnOrAfter };
}

export function readLogoutResponse(document: XmlElement): LogoutResponseFacts | SamlRejection {
  const head = readHead(document);
  if (isRejection(head)) return head;
  const facts = readResponse(document);
  if (isRejection(facts)) return facts;
  return { kind: 'response', ...head, inResponseTo: facts.inResponseTo, status: facts.status };
}

/** Why a signed message is not valid here and now (SAML profiles 4.4.4); all comparisons are exact. */
export function logoutRejection(
  facts: LogoutRequestFacts | LogoutResponseFacts,
  expected: LogoutExpectations,
  nowMillis: number,
): SamlRejection | undefined {
  if (facts.issuer !== expected.issuer) return 'issuer';
  if (facts.destination !== expected.destination) return 'destination';
  const earliest = nowMillis - expected.skewMillis;
  if (facts.issueInstant > nowMillis + expected.skewMillis) return 'not_yet_valid';
  if (facts.kind === 'request' && facts.notOnOrAfter !== undefined && facts.notOnOrAfter <= earliest) return 'expired';
  return facts.issueInstant + expected.maxAgeMillis <= earliest ? 'too_old' : undefined;
}

/** When a request expires, in milliseconds since 1970. */
export function expiryOfRequest(
  { issueInstant, notOnOrAfter = Infinity }: LogoutRequestFacts,
  { skewMillis, maxAgeMillis }: Pick<LogoutExpectations, 'skewMillis' | 'maxAgeMillis'>,
): number {
  return Math.min(notOnOrAfter, issueInstant + maxAgeMillis) + skewMillis;
}

const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

/**
 * Whether a request names the same user as the login did (SAML core 3.3.4). An omitted qualifier is the issuer itself. Some
 * identity providers omit in requests what the assertion stated; what they do state must be equal.
 */
export function isSameName(known: NameId, named: NameId, issuer: string): boolean {
  const { nameQualifier: knownQualifier = issuer } = known;
  const { nameQualifier: namedQualifier = issuer } = named;
  return (
    known.value === named.value &&
    knownQualifier === namedQualifier &&
    isCompatible(known.format, named.format) &&
    isCompatible(known.spNameQualifier, named.spNameQualifier)
  );
}

function isCompatible(known: string | undefined, named: string | undefined): boolean {
  return known === named || [known, named].some((text) => text === undefined || text === UNSPECIFIED);
}

function readHead(document: XmlElement): LogoutHead | SamlRejection {
  const { attributes } = document;
  const id = attributes.get('ID');
  const issueInstant = millisOfInstant(attributes.get('IssueInstant') ?? '');
  if (attributes.get('Version') !== '2.0' || id === undefined || issueInstant === undefined) return 'structure';
  const issuer = issuerOf(document);
  if (issuer === undefined) return 'issuer';
  return { id, issuer, destination: attributes.get('Destination'), issueInstant };
}
