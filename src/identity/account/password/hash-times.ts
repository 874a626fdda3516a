/** Hashes of each worker that count: under load, the work of a quarter of a second. */
const SPAN = 16;
/** The first hashes of a worker take longer, since it has just started. */
const MIN_RECORDED = 4;
/** One hash in progress, and the next one ready: with fewer, workers would be idle. */
const MIN_CAPACITY = 2;

/** The times of the latest password hashes, and how many more the workers can complete within a time. */
export class HashTimes {
  private readonly latest: number[] = [];
  private recorded = 0;
  private expected = NaN;

  constructor(private readonly workers: number) {}

  /** Records how long one hash occupied a worker. */
  record(millis: number): void {
    this.latest[this.recorded % (SPAN * this.workers)] = millis;
    this.recorded += 1;
    // The mean of the slower half: the more the times vary, the less may be promised.
    const slower = Float64Array.from(this.latest)
      .sort()
      .subarray(this.latest.length >> 1);
    this.expected = slower.reduce((sum, each) => sum + each, 0) / slower.length;
  }

  /** Number of hashes that the workers complete within this time, at least two for each; undefined until it is known. */
  capacityWithin(millis: number): number | undefined {
    if (this.recorded < MIN_RECORDED * this.workers) return undefined;
    return Math.max(MIN_CAPACITY * this.workers, Math.floor((this.workers * millis) / this.expected));
  }
}
