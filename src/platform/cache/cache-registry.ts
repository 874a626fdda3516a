/** A cache that may be emptied at any time: results do not change, they only take longer. */
export interface NamedCache {
  readonly name: string;
  /** Name of its manager. */
  readonly manager: string;
  /** Its implementation, e.g. `InProcessCache`. */
  readonly target: string;
  clear(): void | Promise<void>;
}

/** Every cache of the process. */
export class CacheRegistry {
  private readonly caches: NamedCache[] = [];

  get all(): readonly NamedCache[] {
    return this.caches;
  }

  add(cache: NamedCache): void {
    this.caches.push(cache);
  }

  /** The caches with a name, of one manager if `manager` is set; two managers may each have one. */
  named(name: string, manager: string | undefined): readonly NamedCache[] {
    return this.caches.filter((cache) => cache.name === name && (manager ?? cache.manager) === cache.manager);
  }
}
