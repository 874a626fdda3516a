/** A part of a list that is read newest first. */
export interface Slice {
  readonly limit: number;
  /** Id of the last item of the page before; ids of newer rows are greater. */
  readonly after?: string | undefined;
}

/** What a reader of a list gets at most. */
export const MAX_SLICE: Slice = { limit: 200 };

/** Values for `id < ? … LIMIT ?`; no id is greater than the first one where there was no page before. */
export function sliceValues({ limit, after = '~' }: Slice): readonly [string, number] {
  return [after, limit];
}
