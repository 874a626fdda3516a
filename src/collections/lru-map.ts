/** A map of limited size: beyond `capacity` it drops the entry that was set least recently. */
export class LruMap<K, V> {
  private readonly entries = new Map<K, V>();

  /** `dropped` is called after an entry was dropped because of the limit. */
  constructor(
    private readonly capacity: number,
    private readonly dropped: (key: K, value: V) => void = () => undefined,
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
    if (this.entries.size <= this.capacity) return;
    for (const [oldest, last] of this.entries) {
      this.entries.delete(oldest);
      this.dropped(oldest, last);
      return;
    }
  }

  delete(key: K): void {
    this.entries.delete(key);
  }
}
