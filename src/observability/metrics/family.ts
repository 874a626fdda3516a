import type { Meter } from './meter.js';

export type Tags = Readonly<Record<string, string>>;

export type MeterKind = 'counter' | 'gauge' | 'timer' | 'summary' | 'long-task-timer';

/** Facts about all series of a name. */
export interface MeterFacts {
  readonly description?: string;
  /** For example `seconds` or `bytes`. */
  readonly baseUnit?: string;
}

/** A series with its tags. */
export interface Series<M extends Meter = Meter> {
  readonly tags: Tags;
  readonly meter: M;
}

/** Maximum number of series per name; further ones share one series, so that tag values cannot exhaust memory. */
const MAX_SERIES = 1000;
const OTHER = 'other';
/** A tag with a closed list of values that alerts use; the shared series retain it. */
const PRESERVED_TAG = 'outcome';

/** The entry of a tag value: the values of the next tag, or the series. */
interface Branch<M extends Meter> {
  readonly next: Map<string, Branch<M>>;
  series?: Series<M>;
}

/** All series of one name; they have the same tags. */
export class Family<M extends Meter = Meter> {
  private readonly root: Branch<M> = { next: new Map() };
  private tagNames: readonly string[] | undefined;
  private count = 0;

  constructor(
    readonly name: string,
    readonly kind: MeterKind,
    readonly facts: MeterFacts,
    private readonly make: () => M,
    /** True if its numbers are also counted in buckets. */
    readonly hasBuckets = false,
  ) {}

  get series(): readonly Series<M>[] {
    return seriesBelow(this.root);
  }

  /** Returns the series of these tags. Look-ups are fastest for tags in the order of the first call. */
  of(tags: Tags = {}): M {
    const { tagNames = [] } = this;
    let branch: Branch<M> | undefined = this.root;
    let at = 0;
    for (const name in tags) {
      if (name !== tagNames[at]) return this.enter(tags);
      at += 1;
      branch = branch?.next.get(tags[name] ?? '');
    }
    return at === tagNames.length && branch?.series ? branch.series.meter : this.enter(tags);
  }

  /** Sets the meter of a series, which replaces one with the same tags; beyond the maximum it is dropped. */
  set(tags: Tags, meter: M): void {
    const own = this.inOrder(tags);
    if (this.find(own)?.series === undefined && this.count >= MAX_SERIES) return;
    this.put(own, meter);
  }

  /** Removes all series, for gauges whose tags change. */
  clear(): void {
    this.root.next.clear();
    delete this.root.series;
    this.count = 0;
  }

  private enter(tags: Tags): M {
    const own = this.inOrder(tags);
    const known = this.find(own)?.series;
    if (known) return known.meter;
    if (this.count < MAX_SERIES) return this.put(own, this.make());
    const together = Object.entries(own).map(
      ([name, value]) => [name, name === PRESERVED_TAG ? value : OTHER] as const,
    );
    const shared = Object.fromEntries(together);
    return this.find(shared)?.series?.meter ?? this.put(shared, this.make());
  }

  private find(own: Tags): Branch<M> | undefined {
    let branch: Branch<M> | undefined = this.root;
    for (const value of Object.values(own)) branch = branch?.next.get(value);
    return branch;
  }

  private put(own: Tags, meter: M): M {
    let branch = this.root;
    for (const value of Object.values(own)) {
      const next: Branch<M> = branch.next.get(value) ?? { next: new Map() };
      branch.next.set(value, next);
      branch = next;
    }
    if (!branch.series) this.count += 1;
    branch.series = { tags: own, meter };
    return meter;
  }

  /** Returns the tag values in the order of the first series; other tag names are a defect of the caller. */
  private inOrder(tags: Tags): Tags {
    const tagNames = (this.tagNames ??= Object.keys(tags));
    const isSame = Object.keys(tags).length === tagNames.length && tagNames.every((name) => Object.hasOwn(tags, name));
    if (!isSame) throw new TypeError(`${this.name} has the tags ${tagNames.join(', ') || 'none'}`);
    return Object.fromEntries(tagNames.map((name) => [name, tags[name] ?? '']));
  }
}

function seriesBelow<M extends Meter>({ series, next }: Branch<M>): readonly Series<M>[] {
  return [...(series ? [series] : []), ...[...next.values()].flatMap(seriesBelow)];
}
