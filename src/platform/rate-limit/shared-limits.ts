import type { MemoryLimits } from './memory-limits.js';
import type { RateLimitStore } from './rate-limit-store.js';
import type { Charge, LimitVerdict } from './sliding-window.js';
import type { StoreAvailability } from '../kvstore/store-availability.js';

/** A shared store with the memory of this process as its fallback. */
export class SharedLimits {
  constructor(
    private readonly store: RateLimitStore,
    private readonly memory: MemoryLimits,
    private readonly availability: StoreAvailability,
  ) {}

  async charge(charges: readonly Charge[]): Promise<readonly LimitVerdict[]> {
    const verdicts = await this.availability.attempt(() => this.store.charge(charges));
    return verdicts ?? charges.map((charge) => this.memory.charge(charge));
  }
}
