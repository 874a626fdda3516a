import * as v from 'valibot';
import { COLUMNS } from '../account/import-row.js';

export const importQueryShape = v.strictObject({ partial: v.optional(v.picklist(['true', 'false']), 'false') });

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What became of an import: `errors` has the first 1000 of `errors_total`; the empty `field` is the row itself. */
export const importReportShape = v.strictObject({
  created: count,
  errors: v.array(
    v.strictObject({
      line: v.pipe(v.number(), v.integer(), v.minValue(1)),
      field: v.picklist([...COLUMNS, '']),
      code: v.string(),
    }),
  ),
  errors_total: count,
});
