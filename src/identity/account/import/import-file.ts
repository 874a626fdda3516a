import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { csvRows } from './csv-import.js';
import type { ImportRow } from './import-row.js';
import { jsonLinesRows } from './json-lines-import.js';

type ImportFormat = 'csv' | 'json lines';

const FORMAT_OF_TYPE: Readonly<Record<string, ImportFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'json lines',
  'application/jsonl': 'json lines',
};

const FORMAT_OF_ENDING: Readonly<Record<string, ImportFormat>> = {
  csv: 'csv',
  jsonl: 'json lines',
  ndjson: 'json lines',
};

/** The format of a file of users, by its media type (lower case, without parameters) or else by its extension. */
export function importFormat(name: string, mediaType = ''): ImportFormat | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return own(FORMAT_OF_TYPE, mediaType) ?? own(FORMAT_OF_ENDING, ending);
}

/** A file of users, which is opened for each reading. */
export class ImportFile {
  private digest: string | undefined;

  constructor(
    private readonly open: () => Readable,
    private readonly format: ImportFormat,
  ) {}

  /** SHA-256 of the file, once it has been read to its end. */
  get sha256(): string | undefined {
    return this.digest;
  }

  /** The rows from the first one on. @throws ImportFileRejection */
  rows(): AsyncIterable<ImportRow> {
    const hash = createHash('sha256');
    const read = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        done(null, chunk);
      },
      flush: (done) => {
        this.digest = hash.digest('hex');
        done();
      },
    });
    // The reader gets the error.
    pipeline(this.open(), read, () => undefined);
    return importRows(read, this.format);
  }
}

/** Reads the rows of a file as a stream. @throws ImportFileRejection */
function importRows(file: Readable, format: ImportFormat): AsyncIterable<ImportRow> {
  return format === 'csv' ? csvRows(file) : jsonLinesRows(file);
}

function own(formats: Readonly<Record<string, ImportFormat>>, name: string): ImportFormat | undefined {
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}
