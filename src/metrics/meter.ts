import type { Clock } from '../clock/clock.js';
import { RecentMax } from './recent-max.js';

/** What a measured number says (management API, "metrics"). */
export type Statistic = 'COUNT' | 'TOTAL' | 'TOTAL_TIME' | 'MAX' | 'VALUE' | 'ACTIVE_TASKS' | 'DURATION';

export interface Measurement {
  readonly statistic: Statistic;
  readonly value: number;
}

/** How many numbers were not above a bound. */
export interface Bucket {
  readonly upTo: number;
  readonly count: number;
}

/** One series of numbers: what has one name and one value of each tag. */
export interface Meter {
  measure(): readonly Measurement[];
}

/** Counts events. */
export class Counter implements Meter {
  private count = 0;

  /** What is no positive number is not counted: a counter never falls, and one NaN would stay for good. */
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

  /** A number that cannot be had must not keep all others from being read. */
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

  /** One for each bound; none where the family has none. */
  get buckets(): readonly Bucket[] {
    let count = 0;
    return this.bounds.map((upTo, at) => {
      count += this.counts[at] ?? 0;
      return { upTo, count };
    });
  }

  /** What is no number is not taken: it would stay in the total for good. */
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

  /** Several numbers at once, for what was summed up elsewhere; the buckets do not see them. */
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

  /** A time below zero is that of a clock which was set back: it happened, and took no time. */
  override record(seconds: number): void {
    super.record(seconds < 0 ? 0 : seconds);
  }
}

/** Tasks in progress: how many, the sum of their seconds so far, and the longest. */
export class LongTaskTimer implements Meter {
  private readonly active = new Set<{ readonly since: number }>();

  constructor(private readonly clock: Clock) {}

  /** Answers what ends it; a second call does nothing. */
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
