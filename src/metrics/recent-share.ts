/** What a processor has done since some instant, in seconds of one core. */
export interface Work {
  readonly busySeconds: number;
  readonly allSeconds: number;
}

const LEAST_SECONDS = 1;

/** How much of the time was work (0 to 1) since it was last asked; asked again at once, it says the same. */
export class RecentShare {
  private last: Work;
  private known: number | undefined;

  constructor(private readonly read: () => Work) {
    this.last = read();
  }

  get value(): number {
    const now = this.read();
    const all = now.allSeconds - this.last.allSeconds;
    // Over less, a share is that of whatever was done between two questions, such as answering the first.
    if (this.known !== undefined && all < LEAST_SECONDS) return this.known;
    const share = (now.busySeconds - this.last.busySeconds) / all;
    this.last = now;
    this.known = Number.isNaN(share) ? 0 : Math.min(Math.max(share, 0), 1);
    return this.known;
  }
}
