import type { OnApplicationShutdown } from '@nestjs/common';
import type { RateLimitStore } from './rate-limit-store.js';
import type { StoreAvailability } from '../kvstore/store-availability.js';

/** Store of the limits that replicas share, and its availability. */
export interface Shared {
  readonly kind: 'kvstore' | 'database';
  readonly limits: RateLimitStore;
  readonly availability: StoreAvailability;
}

/** The store of `app.security.rate-limit.store`; nothing is shared if each process counts for itself. */
export class SharedStore implements OnApplicationShutdown {
  constructor(readonly shared: Shared | undefined) {}

  onApplicationShutdown(): void {
    this.shared?.availability.stop();
  }
}
