/** A map of limited size: beyond `capacity` it drops the entry that was set least recently. */
export class LruMap<K, V> {
  private readonly entries = new Map<K, V>();

  constructor(private readonly capacity: number) {}

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
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.capacity) this.entries.delete(oldest as K);
  }

  delete(key: K): void {
    this.entries.delete(key);
  }
}
