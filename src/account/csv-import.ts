import type { Readable } from 'node:stream';
import { type Column, COLUMNS, type ImportRow } from './import-row.js';

/** A file that is no import; the message is for a person and holds nothing of the file's rows. */
export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';
}

/** The longest row in bytes: all cells at their longest. */
const LONGEST_ROW = 16_384;

/**
 * The rows of a CSV file (RFC 4180) with a header line that names its columns in any order, as the file is read.
 * @throws ImportFileError
 */
export async function* csvRows(file: Readable): AsyncGenerator<ImportRow> {
  const { CsvError, parse } = await import('csv-parse');
  const parser = file.pipe(
    parse({
      bom: true,
      columns,
      info: true,
      max_record_size: LONGEST_ROW,
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: true,
    }),
  );
  file.once('error', (error) => parser.destroy(error));
  try {
    for await (const item of parser) {
      const { record, info } = item as { record: ImportRow['cells']; info: { lines: number } };
      yield { line: info.lines, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ImportFileError(told(error.code, error['lines']));
  } finally {
    file.destroy();
  }
}

function columns(header: readonly string[]): Column[] {
  const named = header.map((name) => {
    const column = COLUMNS.find((known) => known === name.trim().toLowerCase());
    if (!column) throw new ImportFileError(`The first line must name the columns, out of: ${COLUMNS.join(', ')}.`);
    return column;
  });
  if (new Set(named).size < named.length) throw new ImportFileError('The first line names a column twice.');
  if (!named.includes('login_id')) throw new ImportFileError('The first line must name the column login_id.');
  return named;
}

function told(code: string, line: unknown): string {
  const where = typeof line === 'number' ? `Line ${line}` : 'The file';
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_COLUMNS':
      return `${where} has more or fewer cells than the first line.`;
    case 'CSV_MAX_RECORD_SIZE':
      return `${where} is longer than ${LONGEST_ROW} bytes; perhaps a quote is not closed.`;
    default:
      return `${where} is no CSV: a quote is not closed, or stands inside a cell without quotes.`;
  }
}
