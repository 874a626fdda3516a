import type { Counter, Timer } from '../../../observability/metrics/meter.js';
import type { Meters } from '../../../observability/metrics/meters.js';

/** A snapshot of a connection pool with its effective limits. */
export interface PoolState {
  readonly open: number;
  readonly idle: number;
  /** Lent connections. */
  readonly active: number;
  /** Units of work waiting for a connection. */
  readonly pending: number;
  readonly min: number;
  readonly max: number;
}

/** Meters of the database connections (management API, 5.3). */
export class PoolMeters {
  private readonly acquire: Timer;
  private readonly usage: Timer;
  private readonly creation: Timer;
  private readonly timeout: Counter;

  constructor(
    private readonly meters: Meters,
    private readonly name: string,
  ) {
    const timer = (suffix: string, description: string): Timer =>
      meters.timer(`pool.connections.${suffix}`, { description }).of({ pool: name });
    this.acquire = timer('acquire', 'Wait for a connection');
    this.usage = timer('usage', 'How long a unit of work keeps its connection');
    this.creation = timer('creation', 'Time to open a connection');
    const description = 'Units of work that waited for a connection and got none';
    this.timeout = meters.counter('pool.connections.timeout', { description }).of({ pool: name });
  }

  /** `state` is called at each read of the gauges. */
  observe(state: () => PoolState): void {
    const pool = { pool: this.name };
    const name = { name: this.name };
    const { meters } = this;
    meters.gauge('pool.connections', { description: 'Open connections' }, () => state().open, pool);
    meters.gauge('pool.connections.pending', { description: 'Units of work that wait' }, () => state().pending, pool);
    const both = (suffix: string, description: string, read: () => number): void => {
      meters.gauge(`pool.connections.${suffix}`, { description }, read, pool);
      meters.gauge(`jdbc.connections.${suffix}`, { description }, read, name);
    };
    both('active', 'Connections in use', () => state().active);
    both('idle', 'Connections not in use', () => state().idle);
    both('min', 'Connections kept open', () => state().min);
    both('max', 'Connections at most', () => state().max);
  }

  /** `since` is a reading of `performance.now`. */
  acquired(since: number): void {
    this.acquire.record(secondsSince(since));
  }

  /** Records the time to open a connection. */
  created(since: number): void {
    this.creation.record(secondsSince(since));
  }

  timedOut(): void {
    this.timeout.increment();
  }

  released(since: number): void {
    this.usage.record(secondsSince(since));
  }
}

function secondsSince(since: number): number {
  return (performance.now() - since) / 1000;
}
