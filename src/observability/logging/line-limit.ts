/** The minimum time between two lines of one kind. */
const QUIET_MILLIS = 60_000;

/** Limits the lines about failures that affect every request, such as an outage of the database, to one per kind and minute. */
export class LineLimit {
  private readonly logged = new Map<string, { readonly at: number; untold: number }>();

  /** `now` gives the milliseconds of a monotonic clock. */
  constructor(private readonly now = () => performance.now()) {}

  /**
   * The fields of the next line of a kind: the number of lines that were left out since the last one. Undefined if the line is
   * left out. The number of kinds must be limited.
   */
  admit(kind: string): { readonly untold?: number } | undefined {
    const now = this.now();
    const last = this.logged.get(kind);
    if (last && now - last.at < QUIET_MILLIS) {
      last.untold += 1;
      return undefined;
    }
    const { untold = 0 } = last ?? {};
    this.logged.set(kind, { at: now, untold: 0 });
    return untold > 0 ? { untold } : {};
  }
}
