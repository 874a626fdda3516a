import type { Clock } from '../clock/clock.js';

/** What a measured number says (management API, "metrics"). */
export type Statistic = 'COUNT' | 'TOTAL' | 'TOTAL_TIME' | 'MAX' | 'VALUE' | 'ACTIVE_TASKS' | 'DURATION';

export interface Measurement {
  readonly statistic: Statistic;
  readonly value: number;
}

/** One series of numbers: what has one name and one value of each tag. */
export interface Meter {
  measure(): readonly Measurement[];
}

/** Counts what has happened. */
export class Counter implements Meter {
  private count = 0;

  increment(by = 1): void {
    this.count += by;
  }

  measure(): readonly Measurement[] {
    return [{ statistic: 'COUNT', value: this.count }];
  }
}

/** Reads a number whenever somebody asks. */
export class Gauge implements Meter {
  constructor(private readonly read: () => number) {}

  measure(): readonly Measurement[] {
    return [{ statistic: 'VALUE', value: this.read() }];
  }
}

/** Counts numbers and adds them up. */
export class Summary implements Meter {
  private count = 0;
  private total = 0;
  private readonly largest: RecentMax;

  constructor(
    clock: Clock,
    private readonly totalIs: 'TOTAL' | 'TOTAL_TIME' = 'TOTAL',
  ) {
    this.largest = new RecentMax(clock);
  }

  record(amount: number): void {
    this.count += 1;
    this.total += amount;
    this.largest.take(amount);
  }

  measure(): readonly Measurement[] {
    return [
      { statistic: 'COUNT', value: this.count },
      { statistic: this.totalIs, value: this.total },
      { statistic: 'MAX', value: this.largest.value },
    ];
  }
}

/** Times of what is over, in seconds. */
export class Timer extends Summary {
  constructor(clock: Clock) {
    super(clock, 'TOTAL_TIME');
  }
}

/** What goes on just now: how many, and for how many seconds all of them together. */
export class LongTaskTimer implements Meter {
  private readonly running = new Set<{ readonly since: number }>();

  constructor(private readonly clock: Clock) {}

  /** Answers what ends it; a second call does nothing. */
  start(): () => void {
    const task = { since: this.clock.millis() };
    this.running.add(task);
    return () => {
      this.running.delete(task);
    };
  }

  measure(): readonly Measurement[] {
    const now = this.clock.millis();
    let millis = 0;
    for (const { since } of this.running) millis += now - since;
    return [
      { statistic: 'ACTIVE_TASKS', value: this.running.size },
      { statistic: 'DURATION', value: millis / 1000 },
    ];
  }
}

const WINDOW_MILLIS = 60_000;
const WINDOWS = 3;

/** The largest number of the last two to three minutes. */
class RecentMax {
  private readonly windows: number[] = new Array<number>(WINDOWS).fill(0);
  private current: number;

  constructor(private readonly clock: Clock) {
    this.current = this.windowNow();
  }

  get value(): number {
    this.turn();
    return Math.max(...this.windows);
  }

  take(amount: number): void {
    this.turn();
    const at = this.current % WINDOWS;
    if (amount > (this.windows[at] ?? 0)) this.windows[at] = amount;
  }

  private turn(): void {
    const now = this.windowNow();
    if (now === this.current) return;
    // A clock that was set back forgets as well: a maximum of the future would never end.
    const passed = now > this.current ? Math.min(now - this.current, WINDOWS) : WINDOWS;
    for (let step = 0; step < passed; step++) this.windows[(now - step) % WINDOWS] = 0;
    this.current = now;
  }

  private windowNow(): number {
    return Math.floor(this.clock.millis() / WINDOW_MILLIS);
  }
}
