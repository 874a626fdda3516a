import { issuerOf, type AssertionFacts } from './assertion.js';
import type { XmlElement } from '../../xml/xml-reader.js';
import type { SamlRejection } from '../rejection.js';
import { NAMESPACE } from '../../xml/saml-values.js';

/** The facts of a response around its assertion. */
export interface ResponseFacts {
  readonly id: string;
  readonly issuer: string | undefined;
  readonly destination: string | undefined;
  readonly inResponseTo: string | undefined;
  readonly status: Status;
  /** Whether the response itself has a signature, which must then be valid, too. */
  readonly isSigned: boolean;
  /** Whether its assertion is encrypted. */
  readonly isEncrypted: boolean;
}

interface Status {
  readonly isSuccess: boolean;
  /** The innermost known code of a failure, such as `RequestDenied`; never text that the sender chose (SAML core 3.2.2.2). */
  readonly reason: string | undefined;
}

const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';
const REASONS: ReadonlySet<string> = new Set([
  ...['Requester', 'Responder', 'VersionMismatch', 'AuthnFailed', 'InvalidAttrNameOrValue', 'InvalidNameIDPolicy'],
  ...['NoAuthnContext', 'NoAvailableIDP', 'NoPassive', 'NoSupportedIDP', 'PartialLogout', 'ProxyCountExceeded'],
  ...['RequestDenied', 'RequestUnsupported', 'RequestVersionDeprecated', 'RequestVersionTooHigh'],
  ...['RequestVersionTooLow', 'ResourceNotRecognized', 'TooManyResponses', 'UnknownAttrProfile', 'UnknownPrincipal'],
  'UnsupportedBinding',
]);

/** Reads a document that passed the allowlist. */
export function readResponse(document: XmlElement): ResponseFacts | SamlRejection {
  const { attributes, children } = document;
  const id = attributes.get('ID');
  const status = children.find(({ name }) => name === 'Status');
  if (id === undefined || attributes.get('Version') !== '2.0' || status === undefined) return 'structure';
  const codes = statusCodes(status);
  if (codes === undefined) return 'structure';
  const issuer = issuerOf(document);
  if (issuer === undefined && children.some(({ name }) => name === 'Issuer')) return 'issuer';
  return {
    id,
    issuer,
    destination: attributes.get('Destination'),
    inResponseTo: attributes.get('InResponseTo'),
    status: { isSuccess: codes[0] === `${STATUS}Success`, reason: reasonIn(codes) },
    isSigned: children.some(({ name }) => name === 'Signature'),
    isEncrypted: children.some(({ name }) => name === 'EncryptedAssertion'),
  };
}

/** The status codes, the outermost first. */
function statusCodes(status: XmlElement): string[] | undefined {
  const codes: string[] = [];
  for (let around: XmlElement | undefined = status; around !== undefined;) {
    const inner: XmlElement[] = around.children.filter(
      ({ name, namespace }) => name === 'StatusCode' && namespace === NAMESPACE.protocol,
    );
    if (inner.length > 1) return undefined;
    [around] = inner;
    const value = around?.attributes.get('Value');
    if (around !== undefined && value === undefined) return undefined;
    if (value !== undefined) codes.push(value);
  }
  return codes.length === 0 ? undefined : codes;
}

function reasonIn([outermost = '', ...below]: readonly string[]): string | undefined {
  const reasons = [...below, outermost]
    .filter((code) => code.startsWith(STATUS))
    .map((code) => code.slice(STATUS.length));
  return reasons.find((reason) => REASONS.has(reason));
}

/** What a response to this service must state. */
export interface Expectations {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** Our entity id. */
  readonly audience: string;
  /** URL at which the response was received. */
  readonly recipient: string;
  /** Id of the request; an unsolicited response must name none (SAML profiles 4.1.5). */
  readonly inResponseTo: string | undefined;
  readonly skewMillis: number;
  readonly maxAgeMillis: number;
}

/** Why a verified assertion is not valid here and now (SAML profiles 4.1.4.3); all comparisons are exact. */
export function assertionRejection(
  facts: AssertionFacts,
  expected: Expectations,
  nowMillis: number,
): SamlRejection | undefined {
  const { conditions, confirmation } = facts;
  if (facts.issuer !== expected.issuer) return 'issuer';
  if (!isRestrictedTo(conditions.audienceRestrictions, expected.audience)) return 'audience';
  if (confirmation.recipient !== expected.recipient) return 'recipient';
  if (confirmation.notOnOrAfter === undefined) return 'confirmation';
  return (
    inResponseToRejection(confirmation.inResponseTo, expected.inResponseTo) ?? timeRejection(facts, expected, nowMillis)
  );
}

/**
 * Why the message around the assertion is not valid. It need not be signed, so it can only lead to a rejection. A response
 * that is signed, or whose assertion is encrypted, must name its Issuer. Any other may omit it (SAML profiles 4.1.4.2 with
 * the approved errata), because its signed assertion names its own.
 */
export function responseRejection(
  facts: ResponseFacts,
  expected: Pick<Expectations, 'issuer' | 'recipient' | 'inResponseTo'>,
): SamlRejection | undefined {
  const mustNameIssuer = facts.isSigned || facts.isEncrypted || facts.issuer !== undefined;
  if (mustNameIssuer && facts.issuer !== expected.issuer) return 'issuer';
  if (facts.destination !== expected.recipient) return 'destination';
  const rejection = inResponseToRejection(facts.inResponseTo, expected.inResponseTo);
  return rejection ?? (facts.status.isSuccess ? undefined : 'status');
}

/** Every audience must be this service: any other audience could present the assertion here. */
function isRestrictedTo(restrictions: AssertionFacts['conditions']['audienceRestrictions'], audience: string): boolean {
  return restrictions.length > 0 && restrictions.every((audiences) => audiences.every((each) => each === audience));
}

function inResponseToRejection(
  inResponseTo: string | undefined,
  expected: string | undefined,
): SamlRejection | undefined {
  if (inResponseTo === expected) return undefined;
  return inResponseTo === undefined ? 'unsolicited' : 'in_response_to';
}

/** Each instant may be off by the skew: `notBefore <= now + skew`, `now - skew < end`. */
function timeRejection(facts: AssertionFacts, limits: Expectations, nowMillis: number): SamlRejection | undefined {
  const { conditions, confirmation, authnStatement, issueInstant } = facts;
  const latest = nowMillis + limits.skewMillis;
  const earliest = nowMillis - limits.skewMillis;
  const begins = [conditions.notBefore, confirmation.notBefore, issueInstant, authnStatement.authnInstant];
  if (begins.some((begin) => begin !== undefined && begin > latest)) return 'not_yet_valid';
  const ends = [conditions.notOnOrAfter, confirmation.notOnOrAfter];
  if (ends.some((end) => end !== undefined && end <= earliest)) return 'expired';
  if (hasSessionEnded(authnStatement.sessionNotOnOrAfter, nowMillis)) return 'expired';
  return issueInstant + limits.maxAgeMillis <= earliest ? 'too_old' : undefined;
}

/** Without skew: a session that has ended by our clock, in whole seconds, would end as it begins. */
function hasSessionEnded(sessionEnd = Infinity, nowMillis: number): boolean {
  return Math.floor(sessionEnd / 1000) <= Math.floor(nowMillis / 1000);
}
