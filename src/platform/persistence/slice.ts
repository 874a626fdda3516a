import { type FindOperator, LessThan } from 'typeorm';

/** A part of a list that is read newest first. */
export interface Slice {
  readonly limit: number;
  /** Id of the last item of the page before; ids of newer rows are greater. */
  readonly after?: string | undefined;
}

/** Longest part of a list. */
export const MAX_SLICE: Slice = { limit: 200 };

/** Condition on the ids of a slice; without a previous page, each id matches. */
export function isOlder({ after = '~' }: Slice): FindOperator<string> {
  return LessThan(after);
}
