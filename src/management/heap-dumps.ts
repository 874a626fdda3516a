import type { Readable } from 'node:stream';
import { ServiceError } from '../errors/service-error.js';

const RETRY_SECONDS = 30;

/** Dumps of the heap, one at a time: each needs as much memory again, and stops the event loop while it is taken. */
export class HeapDumps {
  private current: Readable | undefined;

  /** @throws ServiceError `UNAVAILABLE` while one is on its way */
  take(snapshot: () => Readable): Readable {
    if (this.current) {
      throw new ServiceError('UNAVAILABLE', { retryAfterSeconds: RETRY_SECONDS, reason: 'a heap dump is on its way' });
    }
    const dump = snapshot();
    this.current = dump;
    // Also where whoever asked for it has left.
    dump.once('close', () => (this.current = undefined));
    return dump;
  }
}
