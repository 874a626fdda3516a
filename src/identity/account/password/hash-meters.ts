import { type ExecutorReading, executorMeters } from '../../../observability/metrics/executor-meters.js';
import type { Counter, Timer } from '../../../observability/metrics/meter.js';
import type { Meters } from '../../../observability/metrics/meters.js';

/** In seconds; alerts and the dashboard use the 99th percentile. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Meters of the workers that hash and compare passwords (management API, 5.3). */
export class HashMeters {
  private readonly time: Timer;
  private readonly completed: Counter;

  constructor(meters: Meters, state: () => ExecutorReading) {
    meters.gauge('login.hash.queue', { description: 'Passwords that wait for a worker' }, () => state().queued);
    meters.gauge('login.hash.active', { description: 'Passwords that are hashed or compared' }, () => state().active);
    const description = 'Time to hash or compare a password, its wait for a worker included';
    this.time = meters.timer('login.hash.time', { description, buckets: BUCKETS }).of();
    this.completed = executorMeters(meters, 'password-hash', state);
  }

  /** `since` is a reading of `performance.now`. */
  done(since: number): void {
    this.time.record((performance.now() - since) / 1000);
    this.completed.increment();
  }
}
