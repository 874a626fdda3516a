/** The counts of a key in the current window and in the one before; both have the same length. */
export interface WindowCounts {
  /** Number of the window since 1970. */
  readonly window: number;
  readonly current: number;
  readonly previous: number;
}

/** A request for `hits` units of a limit. */
export interface Charge {
  readonly key: string;
  readonly quota: number;
  readonly windowMillis: number;
  readonly hits: number;
}

/** Number of admitted hits, and the state of the limit that callers may know. */
export interface LimitVerdict {
  readonly admitted: number;
  /** Units left now. */
  readonly remaining: number;
  /** Milliseconds until the current window ends. */
  readonly resetMillis: number;
  /** Milliseconds until another unit is free; 0 if one is. */
  readonly retryMillis: number;
}

/**
 * The counts at `now`, for a clock that may be behind that of the replica which wrote them: a window never goes back, since
 * that would forget hits.
 */
export function countsAt(stored: WindowCounts | undefined, now: number, windowMillis: number): WindowCounts {
  const window = Math.floor(now / windowMillis);
  if (!stored || stored.window < window - 1) return { window, current: 0, previous: 0 };
  if (stored.window === window - 1) return { window, current: 0, previous: stored.current };
  return stored;
}

/** Admits as many hits as fit: the count of the window before fades evenly (sliding window counter). */
export function decide(counts: WindowCounts, now: number, { quota, windowMillis, hits }: Charge): LimitVerdict {
  const elapsed = Math.min(1, Math.max(0, now / windowMillis - counts.window));
  const free = quota - counts.previous * (1 - elapsed) - counts.current;
  const admitted = Math.max(0, Math.min(hits, Math.floor(free)));
  return verdictOf({ ...counts, current: counts.current + admitted }, admitted, elapsed, quota, windowMillis);
}

/** The verdict for counts that contain the admitted hits; `elapsed` is the part of the window that has passed. */
export function verdictOf(
  { current, previous }: WindowCounts,
  admitted: number,
  elapsed: number,
  quota: number,
  windowMillis: number,
): LimitVerdict {
  const remaining = Math.max(0, Math.floor(quota - previous * (1 - elapsed) - current));
  const resetMillis = (1 - elapsed) * windowMillis;
  const retryMillis = remaining > 0 ? 0 : untilOneIsFree(current, previous, elapsed, quota) * windowMillis;
  return { admitted, remaining, resetMillis, retryMillis };
}

/** Time until one unit is free, in parts of a window. */
function untilOneIsFree(current: number, previous: number, elapsed: number, quota: number): number {
  // In this window, if enough of the one before fades.
  if (current + 1 <= quota) return Math.max(0, 1 - (quota - current - 1) / previous - elapsed);
  // Otherwise in the next one, where the count of this window fades.
  return 1 - elapsed + Math.max(0, 1 - (quota - 1) / current);
}
