/** A map of limited size: beyond `capacity` it drops the entry that was set least recently and is not pinned. */
export class LruMap<K, V> {
  private readonly entries = new Map<K, V>();

  constructor(
    private readonly capacity: number,
    /** Entries that must stay; while all others are pinned, the map may exceed its capacity. */
    private readonly isPinned: (value: V) => boolean = () => false,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    return this.entries.get(key);
  }

  /** Makes the entry the most recent one. */
  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) this.evict();
  }

  delete(key: K): void {
    this.entries.delete(key);
  }

  private evict(): void {
    for (const [key, value] of this.entries) {
      if (this.isPinned(value)) continue;
      this.entries.delete(key);
      return;
    }
  }
}
