import type { Duration } from '../../../config/bind/duration.js';

/** Number of password hashes that the workers complete within a time; undefined until it is known. */
export type HashCapacity = (millis: number) => number | undefined;

/** Part of the target in which the workers complete all hashes: a login does more, and some hashes take longer. */
const HASHING_PART = 0.75;

/**
 * The limit of requests that hash a password, so that the last one ends within `target`: as many as the workers can hash
 * until then. Unlimited for a target of 0.
 */
export function passwordLimit({ milliseconds }: Duration, capacity: HashCapacity): () => number {
  if (milliseconds === 0) return () => Infinity;
  return () => capacity(HASHING_PART * milliseconds) ?? Infinity;
}
