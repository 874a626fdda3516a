import type { X509Certificate } from 'node:crypto';

/** Longest list of certificates: each costs a signature to verify. */
const MAX_CERTIFICATES = 6;

/**
 * True if the first certificate is one of the anchors or leads to one, over authorities that follow in the order of the list
 * (WebAuthn level 3, section 8.2). All of them must be valid at the time, in milliseconds since 1970. Revocation lists are
 * not fetched: their addresses come from the caller.
 */
export function leadsTo(chain: readonly X509Certificate[], anchors: readonly X509Certificate[], at: number): boolean {
  const valid = anchors.filter((anchor) => isValidAt(anchor, at));
  if (chain.length > MAX_CERTIFICATES) return false;
  for (const [index, subject] of chain.entries()) {
    if (!isValidAt(subject, at)) return false;
    if (valid.some((anchor) => anchor.raw.equals(subject.raw) || (isRoot(anchor) && hasIssued(anchor, subject))))
      return true;
    const issuer = chain[index + 1];
    if (!issuer?.ca || !hasIssued(issuer, subject)) return false;
  }
  return false;
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, at: number): boolean {
  return validFromDate.getTime() <= at && at <= validToDate.getTime();
}

/** Some roots are older than the extension that marks authorities. */
function isRoot({ ca, subject, issuer }: X509Certificate): boolean {
  return ca || subject === issuer;
}

function hasIssued(issuer: X509Certificate, subject: X509Certificate): boolean {
  return subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
}
