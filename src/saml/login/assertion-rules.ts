import type { AssertionFacts } from './assertion.js';
import type { Rejection } from './rejection.js';
import type { ResponseFacts } from './response.js';

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
export function assertionFault(
  facts: AssertionFacts,
  expected: Expectations,
  nowMillis: number,
): Rejection | undefined {
  const { conditions, confirmation } = facts;
  if (facts.issuer !== expected.issuer) return 'issuer';
  if (!isRestrictedTo(conditions.audienceRestrictions, expected.audience)) return 'audience';
  if (confirmation.recipient !== expected.recipient) return 'recipient';
  if (confirmation.notOnOrAfter === undefined) return 'confirmation';
  return inResponseToFault(confirmation.inResponseTo, expected.inResponseTo) ?? timeFault(facts, expected, nowMillis);
}

/**
 * Why the message around the assertion is not valid. It need not be signed, so it can only lead to a rejection. A response
 * that is signed, or whose assertion is encrypted, must name its Issuer. Any other may omit it (SAML profiles 4.1.4.2 with
 * the approved errata), because its signed assertion names its own.
 */
export function responseFault(
  facts: ResponseFacts,
  expected: Pick<Expectations, 'issuer' | 'recipient' | 'inResponseTo'>,
): Rejection | undefined {
  const mustNameIssuer = facts.isSigned || facts.isEncrypted || facts.issuer !== undefined;
  if (mustNameIssuer && facts.issuer !== expected.issuer) return 'issuer';
  if (facts.destination !== expected.recipient) return 'destination';
  const fault = inResponseToFault(facts.inResponseTo, expected.inResponseTo);
  return fault ?? (facts.status.isSuccess ? undefined : 'status');
}

/** Every audience must be this service: any other audience could present the assertion here. */
function isRestrictedTo(restrictions: AssertionFacts['conditions']['audienceRestrictions'], audience: string): boolean {
  return restrictions.length > 0 && restrictions.every((audiences) => audiences.every((each) => each === audience));
}

function inResponseToFault(inResponseTo: string | undefined, expected: string | undefined): Rejection | undefined {
  if (inResponseTo === expected) return undefined;
  return inResponseTo === undefined ? 'unsolicited' : 'in_response_to';
}

/** Each instant may be off by the skew: `notBefore <= now + skew`, `now - skew < end`. */
function timeFault(facts: AssertionFacts, limits: Expectations, nowMillis: number): Rejection | undefined {
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
