/** A part of a list that is read newest first. */
export interface Slice {
  readonly limit: number;
  /** Id of the last item of the page before; ids of newer rows are greater. */
  readonly after?: string | undefined;
}

/** The maximum part of a list. */
export const MAX_SLICE: Slice = { limit: 200 };

/** Values for `id < ? … LIMIT ?`; without a previous page, the first value is greater than any id. */
export function sliceValues({ limit, after = '~' }: Slice): readonly [string, number] {
  return [after, limit];
}
