import type { Clock } from '../../kernel/clock/clock.js';
import { LruMap } from '../../kernel/collections/lru-map.js';
import type { Result } from './operation.js';

/** Maximum number of cached responses of one operation: one for each caller and media type. */
const CAPACITY = 100;

/** Caches the responses of one read (`management.endpoint.<id>.cache.time-to-live`). */
export class ResponseCache {
  private readonly entries = new LruMap<string, { readonly result: Result; readonly at: number }>(CAPACITY);

  constructor(
    private readonly clock: Clock,
    private readonly timeToLiveMillis: number,
  ) {}

  find(key: string): Result | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    const age = this.clock.millis() - entry.at;
    // A clock that was set back must not extend the lifetime.
    if (age >= 0 && age < this.timeToLiveMillis) return entry.result;
    this.entries.delete(key);
    return undefined;
  }

  store(key: string, result: Result): void {
    this.entries.set(key, { result, at: this.clock.millis() });
  }
}
