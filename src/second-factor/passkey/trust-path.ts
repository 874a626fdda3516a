import type { X509Certificate } from 'node:crypto';

/**
 * True if the first certificate is one of the anchors or leads to one, over authorities among the others. All of them must
 * be valid at the time, in milliseconds since 1970. Revocation lists are not fetched: their addresses come from the caller.
 */
export function leadsTo(
  [first, ...others]: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  at: number,
): boolean {
  const valid = anchors.filter((anchor) => isValidAt(anchor, at));
  const unused = new Set(others);
  for (let current = first; current !== undefined;) {
    const subject = current;
    if (!isValidAt(subject, at)) return false;
    if (valid.some((anchor) => anchor.raw.equals(subject.raw) || (isRoot(anchor) && hasIssued(anchor, subject))))
      return true;
    current = [...unused].find((each) => each.ca && hasIssued(each, subject));
    if (current) unused.delete(current);
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
