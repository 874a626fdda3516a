/** Bytes of each body that are not counted. Hardly any body is larger, and the number of connections is limited. */
const UNCOUNTED_BYTES = 4 * 1024;
/** Default limit for all bodies together. */
const DEFAULT_TOTAL_BYTES = 64 * 1024 * 1024;

/** A body that holds memory and gives it back on request. */
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

  /** The limit is never below `least`, the size of the largest permitted body. */
  constructor(largestBody: number, least: number = DEFAULT_TOTAL_BYTES) {
    this.limit = Math.max(largestBody, least);
  }

  /** Counted bytes of all bodies. */
  get used(): number {
    return this.total;
  }

  /** Sets the bytes of a holder; the holder that has to give up may be this one. */
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

  /** Of several largest holders, the one that was counted first. */
  private largest(): MemoryHolder | undefined {
    let found: MemoryHolder | undefined;
    let most = 0;
    for (const [holder, bytes] of this.held) {
      if (bytes <= most) continue;
      found = holder;
      most = bytes;
    }
    return found;
  }
}
