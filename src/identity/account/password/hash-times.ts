/** Hashes of each worker that count: under load, the work of a quarter of a second. */
const SPAN = 16;
/** The first hashes of a worker take longer, since it has just started. */
const MIN_RECORDED = 4;

/** The times of the latest password hashes, and the speed of the workers that follows from them. */
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

  /** Milliseconds from one completed hash to the next while all workers are busy; undefined until it is known. */
  get pace(): number | undefined {
    return this.recorded < MIN_RECORDED * this.workers ? undefined : this.expected / this.workers;
  }
}
