import { constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Charset, UTF_8 } from '../../../kernel/encoding/charset.js';
import { makeFolder } from '../../../kernel/files/make-folder.js';
import type { Batch, BatchDestination } from './batch.js';

/** Modes of log folders and files: access for owner and group only. */
export const FOLDER_MODE = 0o750;
export const FILE_MODE = 0o640;

/** Opens for appending, and for reading the end of the file; does not wait for a reader if the path is a pipe. */
const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | constants.O_NONBLOCK;

const LINE_END = 0x0a;

/** The result of an attempt to append. */
export interface AppendResult {
  /** The error that prevented lines from being written. */
  readonly error?: unknown;
  /** True if the next line would exceed the maximum size. */
  readonly isFull?: boolean;
}

/** Options of an attempt to append. */
export interface AppendOptions {
  /** True if the last line may lack its end because of a crash or a full disk. */
  readonly mayBeTorn: boolean;
  /** Maximum size of the file in bytes; a single line may be larger. */
  readonly maxBytes?: number;
}

/** Appends the lines of a batch to a file, which is created with its folder if necessary. */
export async function appendLines(
  file: string,
  batch: Batch,
  { mayBeTorn, maxBytes = Infinity }: AppendOptions,
): Promise<AppendResult> {
  const { charset = UTF_8 } = batch.destination;
  let taken = batch.lines;
  let written = 0;
  let handle: FileHandle | undefined;
  try {
    handle = await openedWithFolder(file);
    if (maxBytes !== Infinity) taken = fitting(batch.lines, charset, (await handle.stat()).size, maxBytes);
    if (mayBeTorn && (await isTorn(handle))) await handle.write('\n');
    const bytes = charset.encode(taken.join(''));
    batch.issued = taken.length;
    while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
    // Some file systems report a full disk only now.
    const closing = handle;
    handle = undefined;
    await closing.close();
    batch.settle(taken.length);
    return { isFull: batch.lines.length > 0 };
  } catch (error) {
    batch.settle(wholeLinesIn(taken, charset, written));
    // The first error is the relevant one.
    await handle?.close().catch(() => undefined);
    return { error };
  }
}

/** Appends lines synchronously while the process ends. */
export function appendLinesNow({ file, charset = UTF_8 }: BatchDestination, lines: readonly string[]): void {
  try {
    const descriptor = openSync(file, FLAGS, FILE_MODE);
    const bytes = charset.encode((isTornNow(descriptor) ? '\n' : '') + lines.join(''));
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
  } catch {
    // The process ends; an error cannot be reported any more.
  }
}

async function openedWithFolder(file: string): Promise<FileHandle> {
  try {
    return await open(file, FLAGS, FILE_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await makeFolder(dirname(file), FOLDER_MODE);
    return await open(file, FLAGS, FILE_MODE);
  }
}

/** Returns the first lines that fit into a file of this size. */
function fitting(lines: readonly string[], charset: Charset, size: number, mostBytes: number): string[] {
  let end = size;
  const over = lines.findIndex((line) => (end += bytesOf(line, charset)) > mostBytes);
  if (over === -1) return [...lines];
  return lines.slice(0, over === 0 && size === 0 ? 1 : over);
}

async function isTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== LINE_END;
}

function isTornNow(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== LINE_END;
}

function wholeLinesIn(lines: readonly string[], charset: Charset, bytes: number): number {
  let end = 0;
  const torn = lines.findIndex((line) => (end += bytesOf(line, charset)) > bytes);
  return torn === -1 ? lines.length : torn;
}

function bytesOf(line: string, charset: Charset): number {
  return charset === UTF_8 ? Buffer.byteLength(line) : charset.encode(line).length;
}
