import { type Clock, SystemClock } from '../../kernel/clock/clock.js';
import { Family, type MeterFacts, type MeterKind, type Tags } from './family.js';
import { Counter, Gauge, LongTaskTimer, type Meter, Summary, Timer } from './meter.js';

export type { Family, MeterFacts, MeterKind, Tags } from './family.js';

/** Facts about all series of a timer or summary. */
export interface SummaryFacts extends MeterFacts {
  /** Upper bounds in ascending order; the exposition then contains the count of numbers up to each of them. */
  readonly buckets?: readonly number[];
}

/** All meters of the service (management API, "metrics"). */
export class Meters {
  private readonly byName = new Map<string, Family>();

  constructor(private readonly clock: Clock = new SystemClock()) {}

  get families(): Iterable<Family> {
    return this.byName.values();
  }

  find(name: string): Family | undefined {
    return this.byName.get(name);
  }

  counter(name: string, facts: MeterFacts = {}): Family<Counter> {
    return this.family(name, 'counter', facts, () => new Counter());
  }

  /** Timers measure in seconds. */
  timer(name: string, { buckets, ...facts }: SummaryFacts = {}): Family<Timer> {
    const make = (): Timer => new Timer(this.clock, buckets);
    return this.family(name, 'timer', { baseUnit: 'seconds', ...facts }, make, buckets);
  }

  summary(name: string, { buckets, ...facts }: SummaryFacts = {}): Family<Summary> {
    return this.family(name, 'summary', facts, () => new Summary(this.clock, buckets), buckets);
  }

  longTaskTimer(name: string, facts: MeterFacts = {}): Family<LongTaskTimer> {
    const make = (): LongTaskTimer => new LongTaskTimer(this.clock);
    return this.family(name, 'long-task-timer', { baseUnit: 'seconds', ...facts }, make);
  }

  /** `read` is called at each scrape. */
  gauge(name: string, facts: MeterFacts, read: () => number, tags: Tags = {}): void {
    this.family(name, 'gauge', facts, () => new Gauge(() => NaN)).set(tags, new Gauge(read));
  }

  /** A name belongs to one kind of meter. */
  private family<M extends Meter>(
    name: string,
    kind: MeterKind,
    facts: MeterFacts,
    make: () => M,
    buckets: readonly number[] = [],
  ): Family<M> {
    const known = this.byName.get(name);
    if (known && known.kind !== kind) throw new TypeError(`${name} is a ${known.kind}`);
    if (known) return known as Family<M>;
    const family = new Family(name, kind, facts, make, buckets.length > 0);
    this.byName.set(name, family);
    return family;
  }
}
