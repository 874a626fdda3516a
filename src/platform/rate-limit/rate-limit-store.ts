import type { Charge, LimitVerdict } from './sliding-window.js';

/** Store of the counts of limits. Every charge of a call must have another key. */
export interface RateLimitStore {
  /**
   * Admits hits and counts those that it admits, in one step for each key, whatever other replicas do. A charge of no hits
   * only reads, and its verdict tells how many are left.
   * @throws Error if the store does not respond
   */
  charge(charges: readonly Charge[]): Promise<readonly LimitVerdict[]>;
}
