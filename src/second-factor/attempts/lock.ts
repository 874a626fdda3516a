/** Failures in a row that lock an account (specification, "Authentication limits"). */
export const FAILURES_TO_LOCK = 5;
/** Failures in a row after which no lock ends by itself (NIST SP 800-63B, throttling). */
export const FAILURES_TO_LOCK_PERMANENTLY = 100;
/** How long after the last failure the next lock is still a longer one. */
export const SCHEDULE_RESET_SECONDS = 86_400;
/** Clocks of several processes may differ by this much; an attempt further ahead means that a clock was set back. */
export const TOLERATED_SKEW_SECONDS = 60;

/** What an account's row says about failed attempts; instants are epoch seconds. */
export interface FailureCounter {
  readonly failures: number;
  readonly failuresInRow: number;
  /** Locks since the last success. */
  readonly lockLevel: number;
  /** Also the start of the lock. */
  readonly lastAttemptAt: number;
  /** When a process whose clock is behind `lastAttemptAt` first met the lock. */
  readonly clockSkewAt: number | null;
}

export interface Lock {
  /** Epoch seconds; of a lock that does not end by itself, the time to ask again. */
  readonly until: number;
  readonly endsByItself: boolean;
}

/** Lengths in seconds of the first, second … lock: doubled each time, the last one stays. */
export function lockoutScheduleOf(firstSeconds: number, longestSeconds: number): readonly number[] {
  const schedule = [];
  let length = firstSeconds;
  for (; length < longestSeconds; length *= 2) schedule.push(length);
  return [...schedule, longestSeconds];
}

/** The lock in force; the same rule stands as SQL in the statement that takes an attempt. */
export function lockOf(counter: FailureCounter, now: number, schedule: readonly number[]): Lock | undefined {
  const { failures, failuresInRow, lockLevel } = counter;
  const longest = schedule.at(-1) ?? 0;
  const isForGood =
    (failures >= FAILURES_TO_LOCK && failuresInRow >= FAILURES_TO_LOCK_PERMANENTLY) ||
    (failures > 0 && failuresInRow === FAILURES_TO_LOCK_PERMANENTLY);
  if (isForGood) return { until: now + longest, endsByItself: false };
  if (failures < FAILURES_TO_LOCK) return undefined;
  const until = startOf(counter, now) + (schedule[Math.max(lockLevel, 1) - 1] ?? longest);
  return now < until ? { until, endsByItself: true } : undefined;
}

/**
 * Where the clock was set back the lock counts from when that was noticed, so that it lasts no longer than it should; a
 * clock that is ahead of `lastAttemptAt` does not look at that, so that it lasts no shorter.
 */
function startOf({ lastAttemptAt, clockSkewAt }: FailureCounter, now: number): number {
  if (!isAhead(lastAttemptAt, now)) return lastAttemptAt;
  return clockSkewAt === null || isAhead(clockSkewAt, now) ? now : clockSkewAt;
}

/** True of an instant that only a clock set back, or a wrong one elsewhere, can explain. */
export function isAhead(instant: number, now: number): boolean {
  return instant > now + TOLERATED_SKEW_SECONDS;
}
