/** Bytes of each body that are not counted: hardly a body is larger, and the number of connections is limited. */
const UNCOUNTED_BYTES = 4 * 1024;
/** Default limit for all bodies together. */
const DEFAULT_TOTAL_BYTES = 64 * 1024 * 1024;

/** A body that holds memory and gives it back on request. */
export interface MemoryHolder {
  onEvicted(): void;
}

/**
 * Memory of the bodies of one listener that are not whole yet. Where they need more than there is, the largest gives way,
 * so that nobody who sends little pays for those who send much and never end.
 */
export class BodyMemory {
  /** Bytes that all together may have. */
  readonly limit: number;
  private readonly held = new Map<MemoryHolder, number>();
  private total = 0;

  /** There is room for the largest body that is taken, whatever `least` says. */
  constructor(largestBody: number, least: number = DEFAULT_TOTAL_BYTES) {
    this.limit = Math.max(largestBody, least);
  }

  /** Bytes that are counted. */
  get used(): number {
    return this.total;
  }

  /** The holder has so much from now on; it may be the one that is told to give up. */
  take(holder: MemoryHolder, bytes: number): void {
    if (bytes <= UNCOUNTED_BYTES) return;
    this.total += bytes - (this.held.get(holder) ?? 0);
    this.held.set(holder, bytes);
    while (this.total > this.limit) this.largest()?.onEvicted();
  }

  /** The holder has nothing any more; a second time does nothing. */
  release(holder: MemoryHolder): void {
    this.total -= this.held.get(holder) ?? 0;
    this.held.delete(holder);
  }

  /** Of several, the one that has been counted for longest. */
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
