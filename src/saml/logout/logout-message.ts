import { issuerOf, nameIdOf, type NameId } from '../login/assertion.js';
import { millisOfInstant } from '../xml/xml-times.js';
import type { XmlElement } from '../xml/xml-reader.js';
import { isRejection, type Rejection } from '../login/rejection.js';
import { readResponse, type ResponseFacts } from '../login/response.js';

/** What both messages of a logout say; instants in milliseconds since 1970. */
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
  /** None stands for every session of the person. */
  readonly sessionIndexes: readonly string[];
  readonly notOnOrAfter: number | undefined;
}

/** SAML core 3.7.2. */
export interface LogoutResponseFacts extends LogoutHead {
  readonly kind: 'response';
  readonly inResponseTo: string | undefined;
  readonly status: ResponseFacts['status'];
}

/** What a message to us must say. */
export interface LogoutExpectations {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** URL at which the message arrived. */
  readonly destination: string;
  readonly skewMillis: number;
  readonly maxAgeMillis: number;
}

/**
 * Reads a request for a logout of the right shape (document-shape.ts). An encrypted name is refused: there is none among
 * those that people sign in with here, so it could be nobody's.
 */
export function readLogoutRequest(document: XmlElement): LogoutRequestFacts | Rejection {
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

export function readLogoutResponse(document: XmlElement): LogoutResponseFacts | Rejection {
  const head = readHead(document);
  if (isRejection(head)) return head;
  const facts = readResponse(document);
  if (isRejection(facts)) return facts;
  return { kind: 'response', ...head, inResponseTo: facts.inResponseTo, status: facts.status };
}

/** Why a signed message does not count here and now (SAML profiles 4.4.4); all comparisons are of whole texts. */
export function logoutFault(
  facts: LogoutRequestFacts | LogoutResponseFacts,
  expected: LogoutExpectations,
  nowMillis: number,
): Rejection | undefined {
  if (facts.issuer !== expected.issuer) return 'issuer';
  if (facts.destination !== expected.destination) return 'destination';
  const earliest = nowMillis - expected.skewMillis;
  if (facts.issueInstant > nowMillis + expected.skewMillis) return 'not_yet_valid';
  if (facts.kind === 'request' && facts.notOnOrAfter !== undefined && facts.notOnOrAfter <= earliest) return 'expired';
  return facts.issueInstant + expected.maxAgeMillis <= earliest ? 'too_old' : undefined;
}

/** When a request can count no longer, in milliseconds since 1970. */
export function expiryOfRequest(
  { issueInstant, notOnOrAfter = Infinity }: LogoutRequestFacts,
  { skewMillis, maxAgeMillis }: Pick<LogoutExpectations, 'skewMillis' | 'maxAgeMillis'>,
): number {
  return Math.min(notOnOrAfter, issueInstant + maxAgeMillis) + skewMillis;
}

const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

/**
 * Whether a request means the person whom the same issuer named at the login (SAML core 3.3.4): a qualifier that is left out
 * is the issuer itself. Some leave out of requests what stood in the assertion; what they do state must be the same.
 */
export function isSameName(known: NameId, asked: NameId, issuer: string): boolean {
  const { nameQualifier: knownQualifier = issuer } = known;
  const { nameQualifier: askedQualifier = issuer } = asked;
  return (
    known.value === asked.value &&
    knownQualifier === askedQualifier &&
    isCompatible(known.format, asked.format) &&
    isCompatible(known.spNameQualifier, asked.spNameQualifier)
  );
}

function isCompatible(known: string | undefined, asked: string | undefined): boolean {
  return known === asked || [known, asked].some((text) => text === undefined || text === UNSPECIFIED);
}

function readHead(document: XmlElement): LogoutHead | Rejection {
  const { attributes } = document;
  const id = attributes.get('ID');
  const issueInstant = millisOfInstant(attributes.get('IssueInstant') ?? '');
  if (attributes.get('Version') !== '2.0' || id === undefined || issueInstant === undefined) return 'structure';
  const issuer = issuerOf(document);
  if (issuer === undefined) return 'issuer';
  return { id, issuer, destination: attributes.get('Destination'), issueInstant };
}
