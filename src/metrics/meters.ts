import { type Clock, SystemClock } from '../clock/clock.js';
import { Counter, Gauge, LongTaskTimer, type Meter, Summary, Timer } from './meter.js';

export type Tags = Readonly<Record<string, string>>;

export type MeterKind = 'counter' | 'gauge' | 'timer' | 'summary' | 'long-task-timer';

/** What is said of all series of one name. */
export interface MeterFacts {
  readonly description?: string;
  /** E.g. `seconds` or `bytes`. */
  readonly baseUnit?: string;
}

/** A series with its tags. */
export interface Series<M extends Meter = Meter> {
  readonly tags: Tags;
  readonly meter: M;
}

/** Series of one name beyond these are counted together: whoever can choose a tag's value must not fill the memory. */
const MOST_SERIES = 1000;
const OTHER = 'other';

/** All series of one name. */
export class Family<M extends Meter = Meter> {
  private readonly byTags = new Map<string, Series<M>>();

  constructor(
    readonly name: string,
    readonly kind: MeterKind,
    readonly facts: MeterFacts,
    private readonly make: () => M,
  ) {}

  get series(): Iterable<Series<M>> {
    return this.byTags.values();
  }

  /** The series of these tags; every series of one name has the same tag names, given in the same order. */
  of(tags: Tags = {}): M {
    const id = Object.values(tags).join('\u0000');
    const known = this.byTags.get(id);
    if (known) return known.meter;
    if (this.byTags.size >= MOST_SERIES) {
      const shared = Object.fromEntries(Object.keys(tags).map((name) => [name, OTHER]));
      return this.add(Object.values(shared).join('\u0000'), shared);
    }
    return this.add(id, tags);
  }

  /** Puts a meter of the caller's in; it replaces one of the same tags. */
  set(tags: Tags, meter: M): void {
    this.byTags.set(Object.values(tags).join('\u0000'), { tags, meter });
  }

  private add(id: string, tags: Tags): M {
    const known = this.byTags.get(id);
    if (known) return known.meter;
    const meter = this.make();
    this.byTags.set(id, { tags, meter });
    return meter;
  }
}

/** Everything the service counts and measures (management API, "metrics"). */
export class Meters {
  private readonly byName = new Map<string, Family>();

  constructor(private readonly clock: Clock = new SystemClock()) {}

  get families(): Iterable<Family> {
    return this.byName.values();
  }

  counter(name: string, facts: MeterFacts = {}): Family<Counter> {
    return this.family(name, 'counter', facts, () => new Counter());
  }

  /** In seconds. */
  timer(name: string, facts: MeterFacts = {}): Family<Timer> {
    return this.family(name, 'timer', { baseUnit: 'seconds', ...facts }, () => new Timer(this.clock));
  }

  summary(name: string, facts: MeterFacts = {}): Family<Summary> {
    return this.family(name, 'summary', facts, () => new Summary(this.clock));
  }

  longTaskTimer(name: string, facts: MeterFacts = {}): Family<LongTaskTimer> {
    const make = (): LongTaskTimer => new LongTaskTimer(this.clock);
    return this.family(name, 'long-task-timer', { baseUnit: 'seconds', ...facts }, make);
  }

  /** `read` is asked whenever somebody looks. */
  gauge(name: string, facts: MeterFacts, read: () => number, tags: Tags = {}): void {
    this.family(name, 'gauge', facts, () => new Gauge(() => NaN)).set(tags, new Gauge(read));
  }

  /** One name is one kind of meter. */
  private family<M extends Meter>(name: string, kind: MeterKind, facts: MeterFacts, make: () => M): Family<M> {
    const known = this.byName.get(name);
    if (known && known.kind !== kind) throw new TypeError(`${name} is a ${known.kind}`);
    if (known) return known as Family<M>;
    const family = new Family(name, kind, facts, make);
    this.byName.set(name, family);
    return family;
  }
}
