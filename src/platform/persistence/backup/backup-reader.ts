import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type BackupHeader, BackupRejection, damaged, endOf, headerOf, rowOf, tableOf } from './backup-format.js';
import type { BackupPlan, BackupTable, Row } from './backup-plan.js';

/** The longest possible row is far shorter; without a limit, a file without line ends would fill the memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const LINE_END = 0x0a;

/** A part of a backup. The end has been verified: the file is complete and has not changed since it was written. */
export type BackupPart =
  | { readonly kind: 'header'; readonly header: BackupHeader }
  | { readonly kind: 'row'; readonly of: BackupTable; readonly row: Row; readonly line: number }
  | { readonly kind: 'end' };

/**
 * Reads a backup from its start to its end with bounded memory. Rows arrive before the checksum is known, so a caller must
 * keep nothing of them unless the end was reached.
 * @throws BackupRejection
 */
export async function* readBackup(
  file: string,
  plan: BackupPlan,
  knownMigrations: readonly string[],
): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = {};
  let current: ReturnType<typeof tableOf>;
  let isHeader = true;
  let hasEnded = false;
  let number = 0;
  for await (const bytes of linesOf(file)) {
    number += 1;
    if (hasEnded) throw damaged('it continues after its end');
    const line = parsed(bytes);
    if (isHeader) {
      isHeader = false;
      yield { kind: 'header', header: headerOf(line, knownMigrations) };
    } else if (line === undefined) {
      throw damaged('a line is not JSON');
    } else if (Array.isArray(line)) {
      const row = current && rowOf(line, current.columns);
      if (!current || !row) throw damaged(`the row in line ${number} does not fit its table`);
      const { table } = current.of;
      counts[table] = (counts[table] ?? 0) + 1;
      yield { kind: 'row', of: current.of, row, line: number };
    } else {
      current = tableOf(line, plan);
      if (current) {
        if (current.of.table in counts) throw damaged('a table occurs twice');
        counts[current.of.table] = 0;
      } else {
        hasEnded = verified(line, counts, hash.copy().digest('hex'));
      }
    }
    hash.update(bytes);
  }
  if (!hasEnded) throw damaged('its end is missing');
  yield { kind: 'end' };
}

/** @throws BackupRejection unless the line ends a file of these rows and this hash */
function verified(line: unknown, counts: Readonly<Record<string, number>>, sha256: string): true {
  const end = endOf(line);
  if (!end) throw damaged('a line is neither a table, a row nor the end');
  const isSame = Object.keys({ ...counts, ...end.rows }).every((table) => counts[table] === end.rows[table]);
  if (!isSame || end.sha256 !== sha256) throw damaged('its checksum does not match');
  return true;
}

/** Returns undefined if the line is not JSON. */
function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}

/**
 * Yields each line with its line feed.
 * @throws BackupRejection if a line is too long, or the last one is incomplete
 */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
        yield bytes.subarray(start, end + 1);
        start = end + 1;
      }
      rest = bytes.subarray(start);
      if (rest.length > MAX_LINE_BYTES) throw damaged('a line is too long');
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new BackupRejection(`The file cannot be read (${String(code)}).`, { cause: error });
  }
  if (rest.length > 0) throw damaged('its last line is incomplete');
}
