import type { Meter } from './meter.js';

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

/** Limit of series per name; further ones share one series, so that values of tags cannot exhaust memory. */
export const MAX_SERIES = 1000;
const OTHER = 'other';
/** A word of ours wherever it is a tag, and what alerts ask for: it stays when series are counted together. */
const KEPT = 'outcome';

/** What follows a value of one tag: the values of the next one, or the series. */
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
    /** Whether its numbers are counted in buckets as well. */
    readonly hasBuckets = false,
  ) {}

  get series(): readonly Series<M>[] {
    return seriesBelow(this.root);
  }

  /** The series of these tags. Every request asks for some: tags in the order of the first call are found quickest. */
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

  /** Puts a meter of the caller's in, which replaces one of the same tags; beyond the most there can be, it is lost. */
  set(tags: Tags, meter: M): void {
    const own = this.inOrder(tags);
    if (this.find(own)?.series === undefined && this.count >= MAX_SERIES) return;
    this.put(own, meter);
  }

  private enter(tags: Tags): M {
    const own = this.inOrder(tags);
    const known = this.find(own)?.series;
    if (known) return known.meter;
    if (this.count < MAX_SERIES) return this.put(own, this.make());
    const together = Object.entries(own).map(([name, value]) => [name, name === KEPT ? value : OTHER] as const);
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

  /** The tags in the order of the first series; tags of other names are a defect of the caller. */
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
