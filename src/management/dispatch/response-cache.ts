import type { Clock } from '../../clock/clock.js';
import { LruMap } from '../../collections/lru-map.js';
import type { Result } from './operation.js';

/** Answers of one read at most: one for each caller and media type. */
const CAPACITY = 100;

/** What reads have answered, for a while (`management.endpoint.<id>.cache.time-to-live`). */
export class ResponseCache {
  private readonly answers = new LruMap<string, { readonly result: Result; readonly at: number }>(CAPACITY);

  constructor(
    private readonly clock: Clock,
    private readonly timeToLiveMillis: number,
  ) {}

  find(key: string): Result | undefined {
    const answer = this.answers.get(key);
    if (!answer) return undefined;
    const age = this.clock.millis() - answer.at;
    // A clock that was set back makes no answer live longer.
    if (age >= 0 && age < this.timeToLiveMillis) return answer.result;
    this.answers.delete(key);
    return undefined;
  }

  store(key: string, result: Result): void {
    this.answers.set(key, { result, at: this.clock.millis() });
  }
}
