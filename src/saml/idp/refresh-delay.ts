const LEAST_MILLIS = 60_000;
const FIRST_RETRY_MILLIS = 5000;

/** What is known when metadata were read, and what stands in them. */
interface Read {
  readonly refreshSeconds: number;
  readonly cacheDurationSeconds?: number | undefined;
  /** Both in milliseconds since 1970. */
  readonly validUntil?: number | undefined;
  readonly readAt?: number | undefined;
}

/**
 * Milliseconds until metadata are read again; `part` from 0 to 1 spreads what began together. Not longer than cacheDuration
 * (SAML metadata 2.3.1), and twice before validUntil; after failures soon, then less and less often.
 */
export function refreshDelayMillis(read: Read, failures: number, part: number): number {
  const { refreshSeconds, cacheDurationSeconds = Infinity, validUntil = Infinity, readAt = 0 } = read;
  const usual = Math.min(refreshSeconds * 1000, cacheDurationSeconds * 1000, (validUntil - readAt) / 2);
  const longest = Math.max(usual, LEAST_MILLIS);
  const wait = failures === 0 ? longest : Math.min(FIRST_RETRY_MILLIS * 2 ** (failures - 1), longest);
  return Math.round(wait * (0.75 + part / 4));
}
