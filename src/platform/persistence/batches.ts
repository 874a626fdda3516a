/** Splits rows into batches of `size`; 0 puts each row into a batch of its own. */
export function batchesOf<T>(rows: readonly T[], size: number): readonly (readonly T[])[] {
  const length = Math.max(1, size);
  return Array.from({ length: Math.ceil(rows.length / length) }, (_, index) =>
    rows.slice(index * length, (index + 1) * length),
  );
}
