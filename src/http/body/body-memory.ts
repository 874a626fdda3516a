/** Of each body, not counted: connections are, and hardly a body of the interface is larger. */
const FREE_BYTES = 4 * 1024;
/** What there is for all together by default. */
const ALL_BYTES = 64 * 1024 * 1024;

/** Somebody who has memory, and gives it back when told to. */
export interface Holder {
  giveUp(): void;
}

/**
 * Memory of the bodies of one listener that are not whole yet. Where they need more than there is, the largest gives way,
 * so that nobody who sends little pays for those who send much and never end.
 */
export class BodyMemory {
  /** Bytes that all together may have. */
  readonly most: number;
  private readonly held = new Map<Holder, number>();
  private total = 0;

  /** There is room for the largest body that is taken, whatever `least` says. */
  constructor(largestBody: number, least: number = ALL_BYTES) {
    this.most = Math.max(largestBody, least);
  }

  /** Bytes that are counted. */
  get used(): number {
    return this.total;
  }

  /** The holder has so much from now on; it may be the one that is told to give up. */
  take(holder: Holder, bytes: number): void {
    if (bytes <= FREE_BYTES) return;
    this.total += bytes - (this.held.get(holder) ?? 0);
    this.held.set(holder, bytes);
    while (this.total > this.most) this.largest()?.giveUp();
  }

  /** The holder has nothing any more; a second time does nothing. */
  release(holder: Holder): void {
    this.total -= this.held.get(holder) ?? 0;
    this.held.delete(holder);
  }

  /** Of several, the one that has been counted for longest. */
  private largest(): Holder | undefined {
    let found: Holder | undefined;
    let most = 0;
    for (const [holder, bytes] of this.held) {
      if (bytes <= most) continue;
      found = holder;
      most = bytes;
    }
    return found;
  }
}
