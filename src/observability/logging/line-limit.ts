/** The minimum time between two lines of one kind. */
const QUIET_MILLIS = 60_000;

/** Limits the lines about failures that affect every request, such as an outage of the database, to one per kind and minute. */
export class LineLimit {
  private readonly logged = new Map<string, { readonly at: number; suppressed: number }>();

  /** `now` returns the milliseconds of a monotonic clock. */
  constructor(private readonly now = () => performance.now()) {}

  /**
   * Returns the fields of the next line of a kind: the number of lines that were suppressed since the last one. Undefined if the
   * line is suppressed. The number of kinds must be limited.
   */
  admit(kind: string): { readonly suppressed?: number } | undefined {
    const now = this.now();
    const last = this.logged.get(kind);
    if (last && now - last.at < QUIET_MILLIS) {
      last.suppressed += 1;
      return undefined;
    }
    const { suppressed = 0 } = last ?? {};
    this.logged.set(kind, { at: now, suppressed: 0 });
    return suppressed > 0 ? { suppressed } : {};
  }
}
