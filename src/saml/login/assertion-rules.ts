import type { AssertionFacts } from './assertion.js';
import type { Rejection } from './rejection.js';
import type { ResponseFacts } from './response.js';

/** What an answer to us must say. */
export interface Expectations {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** Our entity id. */
  readonly audience: string;
  /** URL at which the answer arrived. */
  readonly recipient: string;
  /** Id of the request; undefined where nobody asked, and then no request may be named (SAML profiles 4.1.5). */
  readonly inResponseTo: string | undefined;
  readonly skewMillis: number;
  readonly maxAgeMillis: number;
}

/** Why a verified assertion does not count here and now (SAML profiles 4.1.4.3); all comparisons are of whole texts. */
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
 * Why the message around the assertion does not count; nothing of it need be signed, so it only ever takes away. A response
 * that is signed, or whose assertion is encrypted, must name its Issuer; any other may omit it (SAML profiles 4.1.4.2, as
 * corrected by the approved errata): its assertion is signed and names its own.
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

/** For us alone, each of them: whoever else may take it could bring it here. */
function isRestrictedTo(restrictions: AssertionFacts['conditions']['audienceRestrictions'], audience: string): boolean {
  return restrictions.length > 0 && restrictions.every((audiences) => audiences.every((each) => each === audience));
}

function inResponseToFault(inResponseTo: string | undefined, expected: string | undefined): Rejection | undefined {
  if (inResponseTo === expected) return undefined;
  return inResponseTo === undefined ? 'unsolicited' : 'in_response_to';
}

/** Each instant may be off by the skew, to our loss as little as to theirs: `notBefore <= now + skew`, `now - skew < end`. */
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

/** Nobody is told that a login was fine whose session is over as it begins: sessions end by our clock, in whole seconds. */
function hasSessionEnded(sessionEnd = Infinity, nowMillis: number): boolean {
  return Math.floor(sessionEnd / 1000) <= Math.floor(nowMillis / 1000);
}
