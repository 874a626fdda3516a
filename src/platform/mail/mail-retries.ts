import type { Random } from '../../kernel/random/random.js';

/** After an outage of the relay, mails flow again within this time. */
const MAX_PAUSE_MILLIS = 30_000;
/** Beyond this exponent every delay is at its limit. */
const MAX_DOUBLINGS = 30;

export interface RetryDelays {
  readonly firstMillis: number;
  readonly maxMillis: number;
}

/** The delay after the attempt with this number, from 1: it doubles, and is shortened at random by up to a quarter. */
export function retryDelay({ firstMillis, maxMillis }: RetryDelays, attempts: number, random: Random): number {
  const doubled = firstMillis * 2 ** Math.min(attempts - 1, MAX_DOUBLINGS);
  return Math.min(doubled, maxMillis) * (1 - random.fraction() / 4);
}

/** The time without attempts after a number of failures of the relay in a row. */
export function pauseAfter({ firstMillis, maxMillis }: RetryDelays, failures: number): number {
  const doubled = firstMillis * 2 ** Math.min(failures - 1, MAX_DOUBLINGS);
  return Math.min(doubled, maxMillis, MAX_PAUSE_MILLIS);
}
