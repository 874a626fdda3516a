/** A cache that may be emptied at any time: no answer changes by that, it only takes longer. */
export interface NamedCache {
  readonly name: string;
  /** Name of the manager it belongs to. */
  readonly manager: string;
  /** What holds it, e.g. `InProcessCache`. */
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

  /** Those of that name, of one manager where it is named; two managers may have one each. */
  named(name: string, manager: string | undefined): readonly NamedCache[] {
    return this.caches.filter((cache) => cache.name === name && (manager ?? cache.manager) === cache.manager);
  }
}
