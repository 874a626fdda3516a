/** Maximum duration of a batch, which holds locks; on the embedded database, it also blocks the event loop. */
const LIMIT_MILLIS = 100;
/** Duration that the size aims at: a batch that suddenly takes four times as long still meets the limit. */
const TARGET_MILLIS = LIMIT_MILLIS / 4;
const FIRST_ROWS = 16;
const MAX_ROWS = 1024;

/**
 * The number of rows of the next batch of a background deletion. It starts small and follows the measured time, because a
 * row takes microseconds on one machine and milliseconds on a slow disk. It is a power of two: each number of values is
 * another statement that connections keep prepared.
 */
export class BatchSize {
  private current = FIRST_ROWS;

  get rows(): number {
    return this.current;
  }

  /** Runs a batch of this size inside its unit of work, so that a wait for a connection is not part of its time. */
  async measured<T>(batch: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const result = await batch();
    this.adjust(performance.now() - begun);
    return result;
  }

  adjust(millis: number): void {
    if (millis <= TARGET_MILLIS / 2) this.current = Math.min(this.current * 2, MAX_ROWS);
    for (let expected = millis; expected > TARGET_MILLIS && this.current > 1; expected /= 2) this.current /= 2;
  }

  /** Repeats the last key up to the size of a batch, so that a smaller batch is no other statement. */
  padded(keys: readonly string[], rows: number): readonly string[] {
    const last = keys.at(-1);
    return last === undefined ? [] : [...keys, ...Array<string>(Math.max(0, rows - keys.length)).fill(last)];
  }
}

/** Splits rows into batches of `size`; 0 puts each row into a batch of its own. */
export function batchesOf<T>(rows: readonly T[], size: number): readonly (readonly T[])[] {
  const length = Math.max(1, size);
  return Array.from({ length: Math.ceil(rows.length / length) }, (_, index) =>
    rows.slice(index * length, (index + 1) * length),
  );
}
