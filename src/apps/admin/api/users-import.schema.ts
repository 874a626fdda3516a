import * as v from 'valibot';
import { COLUMNS } from '../../../identity/account/import/import-row.js';

export const importQuerySchema = v.strictObject({
  partial: v.optional(v.picklist(['true', 'false']), 'false'),
  preview: v.optional(
    v.pipe(
      v.picklist(['true', 'false']),
      v.description('With `true`, the response is a report, and nothing is stored.'),
    ),
    'false',
  ),
});

/** The upload, for the description of the interface; its content is validated row by row. */
export const importUploadSchema = v.strictObject({
  file: v.pipe(
    v.string(),
    v.metadata({ contentMediaType: 'application/octet-stream' }),
    v.description(`CSV whose first line names its columns, or JSON lines: ${COLUMNS.join(', ')}.`),
  ),
});

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Result of an import: `errors` has the first 1000 of `errors_total`; the empty `field` is the row itself. */
export const importReportSchema = v.strictObject({
  created: count,
  errors: v.array(
    v.strictObject({
      line: v.pipe(v.number(), v.integer(), v.minValue(1)),
      field: v.picklist([...COLUMNS, '']),
      code: v.string(),
    }),
  ),
  errors_total: count,
  valid: v.optional(v.pipe(count, v.description('Only with `preview`: rows that an import would create now.'))),
});
