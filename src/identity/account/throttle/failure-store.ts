import type { Tx } from '../../../platform/persistence/unit-of-work.js';

/** Failures of one login id, device or address. */
export interface Failures {
  /** At `lastAt`. */
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
}

/** How failures are forgotten: gradually, and all of them some time after the last one. */
export interface Forgetting {
  /** Failures that are forgotten in a millisecond. */
  readonly perMilli: number;
  /** Time after the last failure, in milliseconds. */
  readonly afterMillis: number;
}

/** One more failure of a key, or `none`: it has no failures any more. */
export interface FailureChange {
  readonly key: string;
  readonly to: Forgetting | 'none';
}

/** Failures that still count. A clock that was set back forgets none. */
export function remembered({ count, lastAt }: Failures, now: number, { perMilli, afterMillis }: Forgetting): number {
  const age = Math.max(0, now - lastAt);
  return age >= afterMillis ? 0 : Math.max(0, count - age * perMilli);
}

/** Where the failures are that replicas share. */
export interface FailureStore {
  /** The failures of the keys that have some. @throws Error if the store does not respond */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Failures>>;
  /** As `read`, together with the other statements of `tx`; only a store in the database can. */
  readIn?(tx: Tx, keys: readonly string[]): Promise<ReadonlyMap<string, Failures>>;
  /** Makes changes, each in one step, whatever other replicas do. @throws Error if the store does not respond */
  save(changes: readonly FailureChange[]): Promise<void>;
}
