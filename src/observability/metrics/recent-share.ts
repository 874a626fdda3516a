/** Processor time since some instant, in seconds of one core. */
export interface Work {
  readonly busySeconds: number;
  readonly allSeconds: number;
}

const MIN_SECONDS = 1;

/** The share of busy time (0 to 1) since the last read; a read within a second returns the same value. */
export class RecentShare {
  private last: Work;
  private known: number | undefined;

  constructor(private readonly read: () => Work) {
    this.last = read();
  }

  get value(): number {
    const now = this.read();
    const all = now.allSeconds - this.last.allSeconds;
    // Over a shorter time, the share would mostly measure the work of the reads themselves.
    if (this.known !== undefined && all < MIN_SECONDS) return this.known;
    const share = (now.busySeconds - this.last.busySeconds) / all;
    this.last = now;
    this.known = Number.isNaN(share) ? 0 : Math.min(Math.max(share, 0), 1);
    return this.known;
  }
}
