import { type FindOperator, LessThan } from 'typeorm';

/** A part of a list that is read newest first. */
export interface Slice {
  readonly limit: number;
  /** Id of the last item of the page before; ids of newer rows are greater. */
  readonly after?: string | undefined;
}

/** The maximum part of a list. */
export const MAX_SLICE: Slice = { limit: 200 };

/** The condition on the ids of a slice; without a previous page, each id fulfils it. */
export function isOlder({ after = '~' }: Slice): FindOperator<string> {
  return LessThan(after);
}
