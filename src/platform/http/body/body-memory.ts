/** Bytes of each body that are not counted. Hardly any body is larger, and the number of connections is limited. */
const UNCOUNTED_BYTES = 4 * 1024;
/** Default limit for all bodies together. */
const DEFAULT_TOTAL_BYTES = 64 * 1024 * 1024;

/** A body that holds memory and releases it on request. */
export interface MemoryHolder {
  onEvicted(): void;
}

/**
 * Memory of the incomplete bodies of one listener. If it runs short, the largest body is rejected, so that a client
 * with a small body does not pay for clients that send much and never end.
 */
export class BodyMemory {
  /** Limit in bytes for all bodies together. */
  readonly limit: number;
  private readonly held = new Map<MemoryHolder, number>();
  private total = 0;

  /** `largestBody`, the size of the largest permitted body, raises the limit if it is larger. */
  constructor(largestBody: number, totalBytes: number = DEFAULT_TOTAL_BYTES) {
    this.limit = Math.max(largestBody, totalBytes);
  }

  /** Counted bytes of all bodies. */
  get used(): number {
    return this.total;
  }

  /** Sets the bytes of a holder; evicts the largest holders, possibly this one, while the limit is exceeded. */
  take(holder: MemoryHolder, bytes: number): void {
    if (bytes <= UNCOUNTED_BYTES) return;
    this.total += bytes - (this.held.get(holder) ?? 0);
    this.held.set(holder, bytes);
    while (this.total > this.limit) this.largest()?.onEvicted();
  }

  /** Releases all bytes of a holder; a second call does nothing. */
  release(holder: MemoryHolder): void {
    this.total -= this.held.get(holder) ?? 0;
    this.held.delete(holder);
  }

  /** Returns the largest holder; the oldest wins a tie. */
  private largest(): MemoryHolder | undefined {
    let found: MemoryHolder | undefined;
    let max = 0;
    for (const [holder, bytes] of this.held) {
      if (bytes <= max) continue;
      found = holder;
      max = bytes;
    }
    return found;
  }
}
