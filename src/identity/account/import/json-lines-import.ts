import type { Readable } from 'node:stream';
import { readJson } from '../../../kernel/encoding/strict-json.js';
import {
  type ImportColumn,
  COLUMNS,
  ImportFileRejection,
  type ImportRow,
  MAX_ROW_LENGTH,
  type RowProblem,
} from './import-row.js';

const LINE_END = 0x0a;
/** Columns with several names, and the separators between them, which no name contains. */
const BETWEEN: Readonly<Partial<Record<ImportColumn, RegExp>>> = { roles: /[\s,;|]/, groups: /,/ };

/**
 * Reads a file of JSON lines: each line that is not blank is one object, parsed as strictly as the bodies of requests,
 * whose members are the columns. A line that does not match is a problem of its row.
 * @throws ImportFileRejection if not even the first line is an object
 */
export async function* jsonLinesRows(file: Readable): AsyncGenerator<ImportRow> {
  let isFirst = true;
  try {
    for await (const { number, bytes } of linesOf(file)) {
      const row = bytes === undefined ? invalid(number, 'too_long') : rowOf(number, bytes);
      if (isFirst && isNoObject(row)) throw new ImportFileRejection(`Line ${number} is not a JSON object.`, number);
      isFirst = false;
      yield row;
    }
  } finally {
    file.destroy();
  }
  if (isFirst) throw new ImportFileRejection('The file is empty.');
}

interface Line {
  readonly number: number;
  /** Undefined if the line is longer than a row may be. */
  readonly bytes: Buffer | undefined;
}

/** Lines that are not blank, without their ends; never holds more than one of them. */
async function* linesOf(file: Readable): AsyncGenerator<Line> {
  const line = new LineBuffer();
  let number = 1;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      line.add(chunk.subarray(from, end));
      if (!line.isBlank) yield { number, bytes: line.bytes };
      line.clear();
      number += 1;
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  if (!line.isBlank) yield { number, bytes: line.bytes };
}

class LineBuffer {
  private pieces: Buffer[] = [];
  private length = 0;

  get bytes(): Buffer | undefined {
    return this.length > MAX_ROW_LENGTH ? undefined : Buffer.concat(this.pieces);
  }

  get isBlank(): boolean {
    return this.length <= MAX_ROW_LENGTH && this.pieces.every((piece) => piece.every(isBlank));
  }

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > MAX_ROW_LENGTH) this.pieces = [];
    else if (piece.length > 0) this.pieces.push(piece);
  }

  clear(): void {
    this.pieces = [];
    this.length = 0;
  }
}

/** White space of JSON (RFC 8259 section 2). */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function rowOf(line: number, bytes: Buffer): ImportRow {
  const read = readJson(bytes);
  const value = read?.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid(line, 'format');
  const cells: Partial<Record<ImportColumn, string>> = {};
  const problems: RowProblem[] = [];
  for (const [name, member] of Object.entries(value)) {
    const column = COLUMNS.find((known) => known === name);
    // Not called by its name: that may be anything.
    if (!column) return invalid(line, 'unknown');
    const cell = cellOf(column, member);
    if (cell === undefined) problems.push({ field: column, code: 'type' });
    else cells[column] = cell;
  }
  return { line, cells, ...(problems.length > 0 && { problems }) };
}

/** Exports write null for a missing value. */
function textCell(member: unknown): string | undefined {
  if (member === null) return '';
  return typeof member === 'string' ? member : undefined;
}

/** The cell of a CSV file with the same value; undefined for a value of another type. */
function cellOf(column: ImportColumn, member: unknown): string | undefined {
  if (column === 'email_verified' && typeof member === 'boolean') return String(member);
  const between = BETWEEN[column];
  return between && Array.isArray(member) ? listCell(member, between) : textCell(member);
}

function listCell(items: readonly unknown[], between: RegExp): string | undefined {
  const isName = (item: unknown): boolean => typeof item === 'string' && item !== '' && !between.test(item);
  return items.every(isName) ? items.join(',') : undefined;
}

function invalid(line: number, code: string): ImportRow {
  return { line, cells: {}, problems: [{ field: '', code }] };
}

function isNoObject({ problems = [] }: ImportRow): boolean {
  return problems.some(({ field, code }) => field === '' && code !== 'unknown');
}
