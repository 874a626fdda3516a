import type { Clock } from '../../kernel/clock/clock.js';
import { RecentMax } from './recent-max.js';

/** The meaning of a measured number (management API, "metrics"). */
export type Statistic = 'COUNT' | 'TOTAL' | 'TOTAL_TIME' | 'MAX' | 'VALUE' | 'ACTIVE_TASKS' | 'DURATION';

export interface Measurement {
  readonly statistic: Statistic;
  readonly value: number;
}

/** The count of numbers that were not above a bound. */
export interface HistogramBucket {
  readonly upTo: number;
  readonly count: number;
}

/** One series of numbers: one name with one value of each tag. */
export interface Meter {
  measure(): readonly Measurement[];
}

/** Counts events. */
export class Counter implements Meter {
  private count = 0;

  /** Ignores anything but a positive number: a counter never decreases, and a single NaN would stay forever. */
  increment(by = 1): void {
    if (by > 0 && by < Infinity) this.count += by;
  }

  measure(): readonly Measurement[] {
    return [{ statistic: 'COUNT', value: this.count }];
  }
}

/** Reads a number on demand; NaN if it cannot be read. */
export class Gauge implements Meter {
  constructor(private readonly read: () => number) {}

  measure(): readonly Measurement[] {
    return [{ statistic: 'VALUE', value: this.value }];
  }

  /** A failed read must not prevent the others. */
  private get value(): number {
    try {
      return this.read();
    } catch {
      return NaN;
    }
  }
}

/** Counts and sums recorded values. */
export class Summary implements Meter {
  private count = 0;
  private total = 0;
  private readonly largest: RecentMax;
  private readonly counts: number[];

  /** `bounds` are in ascending order. */
  constructor(
    clock: Clock,
    private readonly bounds: readonly number[] = [],
    private readonly totalIs: 'TOTAL' | 'TOTAL_TIME' = 'TOTAL',
  ) {
    this.largest = new RecentMax(clock);
    this.counts = bounds.map(() => 0);
  }

  /** One for each bound; empty without bounds. */
  get buckets(): readonly HistogramBucket[] {
    let count = 0;
    return this.bounds.map((upTo, at) => {
      count += this.counts[at] ?? 0;
      return { upTo, count };
    });
  }

  /** Ignores what is not finite: it would stay in the total forever. */
  record(amount: number): void {
    if (!Number.isFinite(amount)) return;
    this.take(1, amount, amount);
    for (let at = 0; at < this.bounds.length; at++) {
      if (amount > (this.bounds[at] ?? NaN)) continue;
      this.counts[at] = (this.counts[at] ?? 0) + 1;
      return;
    }
  }

  measure(): readonly Measurement[] {
    return [
      { statistic: 'COUNT', value: this.count },
      { statistic: this.totalIs, value: this.total },
      { statistic: 'MAX', value: this.largest.value },
    ];
  }

  /** Adds several numbers that were summed up elsewhere; the buckets do not count them. */
  protected take(count: number, total: number, largest: number): void {
    this.count += count;
    this.total += total;
    this.largest.take(largest);
  }
}

/** Records durations in seconds. */
export class Timer extends Summary {
  constructor(clock: Clock, bounds: readonly number[] = []) {
    super(clock, bounds, 'TOTAL_TIME');
  }

  /** A negative time means that the clock was set back; it counts as 0 seconds. */
  override record(seconds: number): void {
    super.record(seconds < 0 ? 0 : seconds);
  }
}

/** Tasks in progress: their number, the sum of their seconds so far, and the longest. */
export class LongTaskTimer implements Meter {
  private readonly active = new Set<{ readonly since: number }>();

  constructor(private readonly clock: Clock) {}

  /** Starts a task and returns the function that ends it; a second call of that does nothing. */
  start(): () => void {
    const task = { since: this.clock.millis() };
    this.active.add(task);
    return () => {
      this.active.delete(task);
    };
  }

  measure(): readonly Measurement[] {
    const now = this.clock.millis();
    let [total, longest] = [0, 0];
    for (const { since } of this.active) {
      const millis = Math.max(0, now - since);
      total += millis;
      longest = Math.max(longest, millis);
    }
    return [
      { statistic: 'ACTIVE_TASKS', value: this.active.size },
      { statistic: 'DURATION', value: total / 1000 },
      { statistic: 'MAX', value: longest / 1000 },
    ];
  }
}
