import type { X509Certificate } from 'node:crypto';

/** One warning per certificate that has expired or is not valid yet; clients would reject it. */
export function validityWarnings(chain: readonly X509Certificate[], nowMillis: number): readonly string[] {
  return chain.flatMap((certificate, index) => {
    const which = index === 0 ? 'The certificate' : `Certificate ${index + 1} of the chain`;
    const called = `${which} (${oneLine(certificate.subject)})`;
    const [begin, end] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    if (end < nowMillis) return [`${called} has expired: it was valid until ${new Date(end).toISOString()}`];
    if (begin > nowMillis) return [`${called} is not valid before ${new Date(begin).toISOString()}`];
    return [];
  });
}

function oneLine(subject: string): string {
  return subject.replaceAll('\n', ', ');
}
