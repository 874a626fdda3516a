import { EVENT_COLUMNS, type EventRow } from './event-line.js';

/** Formats of exported events. */
export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_MEDIA_TYPES = { csv: 'text/csv', jsonl: 'application/jsonl' } as const satisfies Record<
  ExportFormat,
  string
>;

/** Writes events as CSV (RFC 4180) or as JSON lines, with the columns of the table and `time` in place of `at`. */
export async function* exportLines(
  batches: AsyncIterable<readonly EventRow[]>,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(EVENT_COLUMNS.map((column) => (column === 'at' ? 'time' : column)));
  const line = format === 'csv' ? csvLineOf : jsonLineOf;
  // One text for each batch: a text for each row would cost more than its content.
  for await (const batch of batches) yield batch.map(line).join('');
}

function jsonLineOf({ at, detail, ...row }: EventRow): string {
  const parsed: unknown = detail === null ? null : JSON.parse(detail);
  return `${JSON.stringify({ time: new Date(at), ...row, detail: parsed })}\n`;
}

function csvLineOf(row: EventRow): string {
  return csvLine(
    EVENT_COLUMNS.map((column) => (column === 'at' ? new Date(row.at).toISOString() : (row[column] ?? ''))),
  );
}

/**
 * First characters that make a spreadsheet run a cell as a formula (OWASP, CSV injection), also in their wide forms and behind
 * blanks, which some programs remove.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
/**
 * The place before a formula after a semicolon or a tab: many spreadsheets begin another cell there, even within quotes. The
 * search starts at the formula, since a search from each of many tabs takes long.
 */
const FORMULA_INSIDE = /(?=[=+\-@＝＋－＠])(?<=[;\t]["\s]*)/g;

/** Every cell is quoted, and an apostrophe precedes what a spreadsheet would run. */
function csvLine(cells: readonly (string | number)[]): string {
  const written = cells.map((cell) => {
    const text = String(cell);
    const inert = (FORMULA.test(text) ? `'${text}` : text).replaceAll(FORMULA_INSIDE, "'");
    return `"${inert.replaceAll('"', '""')}"`;
  });
  return `${written.join(',')}\r\n`;
}
