import type { StoreAvailability } from '../../../platform/kvstore/store-availability.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';

/** Failures of one login id, device or address. */
export interface Failures {
  /** At `lastAt`. */
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
}

/** How failures are forgotten: gradually, and all of them some time after the last one. */
export interface Forgetting {
  /** Failures that are forgotten in a millisecond. */
  readonly perMilli: number;
  /** Time after the last failure, in milliseconds. */
  readonly afterMillis: number;
}

/** One more failure of a key, or `none`: it has no failures any more. */
export interface FailureChange {
  readonly key: string;
  readonly to: Forgetting | 'none';
}

/** Failures that still count. A clock that was set back forgets none. */
export function remembered({ count, lastAt }: Failures, now: number, { perMilli, afterMillis }: Forgetting): number {
  const age = Math.max(0, now - lastAt);
  return age >= afterMillis ? 0 : Math.max(0, count - age * perMilli);
}

/** Where the failures are that replicas share. */
export interface FailureStore {
  /** The failures of the keys that have some. @throws Error if the store does not respond */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Failures>>;
  /** As `read`, together with the other statements of `tx`; only a store in the database can. */
  readIn?(tx: Tx, keys: readonly string[]): Promise<ReadonlyMap<string, Failures>>;
  /** Makes changes, each in one step, whatever other replicas do. @throws Error if the store does not respond */
  save(changes: readonly FailureChange[]): Promise<void>;
}

/** The failures that replicas share. While their store is away, each process counts for itself. */
export class SharedFailures {
  /** Changes on their way to the store, by key. */
  private readonly unsaved = new Map<string, number>();
  /** The keys that changed since the begin of each read that has not ended. */
  private readonly changedSince = new Set<Set<string>>();

  constructor(
    private readonly store: FailureStore,
    private readonly availability: StoreAvailability,
  ) {}

  /** True if failures can be read together with other statements. */
  get isInDatabase(): boolean {
    return this.store.readIn !== undefined;
  }

  /**
   * The failures of these keys, undefined for those that have none. A key that this process changes meanwhile is left out:
   * the response may be older than the change. With `tx`, they are read together with its other statements if the store is in
   * the database, and fail with them.
   */
  async read(keys: readonly string[], tx?: Tx): Promise<ReadonlyMap<string, Failures | undefined>> {
    const changed = new Set(this.unsaved.keys());
    this.changedSince.add(changed);
    try {
      const found = await this.find(keys, tx);
      if (!found) return new Map();
      return new Map(keys.filter((key) => !changed.has(key)).map((key) => [key, found.get(key)]));
    } finally {
      this.changedSince.delete(changed);
    }
  }

  async save(changes: readonly FailureChange[]): Promise<void> {
    for (const { key } of changes) {
      this.unsaved.set(key, (this.unsaved.get(key) ?? 0) + 1);
      for (const changed of this.changedSince) changed.add(key);
    }
    await this.availability.attempt(() => this.store.save(changes));
    for (const { key } of changes) {
      const others = (this.unsaved.get(key) ?? 0) - 1;
      if (others > 0) this.unsaved.set(key, others);
      else this.unsaved.delete(key);
    }
  }

  private async find(keys: readonly string[], tx?: Tx): Promise<ReadonlyMap<string, Failures> | undefined> {
    if (!tx || !this.store.readIn) return this.availability.attempt(() => this.store.read(keys));
    return this.availability.isAvailable ? this.store.readIn(tx, keys) : undefined;
  }
}

/** The failures of passwords; nothing is shared if each process counts for itself. */
export class GuessFailures {
  constructor(readonly shared?: SharedFailures) {}
}
