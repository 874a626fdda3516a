import { pipeline, type Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { type ImportColumn, COLUMNS, ImportFileRejection, type ImportRow, MAX_ROW_LENGTH } from './import-row.js';

/**
 * The rows of a CSV file (RFC 4180) with a header line that names its columns in any order, as the file is read.
 * @throws ImportFileRejection
 */
export async function* csvRows(file: Readable): AsyncGenerator<ImportRow> {
  const { CsvError, parse } = await import('csv-parse');
  let isEmpty = true as boolean;
  const parser = parse({
    bom: true,
    columns: (header: readonly string[]) => {
      isEmpty = false;
      return columns(header);
    },
    info: true,
    max_record_size: MAX_ROW_LENGTH,
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
  });
  pipeline(file, utf8, parser, () => {
    // The parser reports the error.
  });
  try {
    for await (const item of parser) {
      const { record, info } = item as { record: ImportRow['cells']; info: { lines: number } };
      yield { line: info.lines, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line: unknown = error['lines'];
    throw new ImportFileRejection(messageOf(error.code, line), typeof line === 'number' ? line : undefined);
  } finally {
    file.destroy();
  }
  if (isEmpty) throw new ImportFileRejection('The file is empty.');
}

/** Decodes strictly: the parser would replace bytes of another character set by other characters. */
async function* utf8(file: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const piece of file) yield clean(decoder, piece);
  yield clean(decoder);
}

function clean(decoder: TextDecoder, piece?: Buffer): string {
  let text: string;
  try {
    text = decoder.decode(piece, { stream: piece !== undefined });
  } catch {
    throw new ImportFileRejection('The file is not UTF-8 text.');
  }
  if (text.includes('\0')) throw new ImportFileRejection('The file is not UTF-8 text: it contains a NUL.');
  return text;
}

function columns(header: readonly string[]): ImportColumn[] {
  const named = header.map((name) => {
    const column = COLUMNS.find((known) => known === name.trim().toLowerCase());
    if (!column) throw new ImportFileRejection(`The first line must name the columns, from: ${COLUMNS.join(', ')}.`);
    return column;
  });
  if (new Set(named).size < named.length) throw new ImportFileRejection('The first line names a column twice.');
  if (!named.includes('login_id')) throw new ImportFileRejection('The first line must name the column login_id.');
  return named;
}

function messageOf(code: string, line: unknown): string {
  const where = typeof line === 'number' ? `Line ${line}` : 'The file';
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_COLUMNS':
      return `${where} has more or fewer cells than the first line.`;
    case 'CSV_MAX_RECORD_SIZE':
      return `${where} is longer than ${MAX_ROW_LENGTH} bytes; perhaps a quote is not closed.`;
    default:
      return `${where} is not CSV: a quote is not closed, or is inside a cell without quotes.`;
  }
}
