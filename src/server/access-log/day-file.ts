import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;
/** Behind what is there; read, to see how that ends; never waiting for a reader where somebody put a pipe. */
const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | constants.O_NONBLOCK;

/** How many lines got into the file, and what kept the others out. */
export interface Appended {
  readonly lines: number;
  readonly error?: unknown;
}

/**
 * Appends whole lines, which are ASCII and have their ends, to a file that is made where it is missing, folder and all.
 * `mayBeTorn` asks whether the last line there has its end, which a crash or a full disk may have kept from it.
 */
export async function appendLines(file: string, lines: readonly string[], mayBeTorn: boolean): Promise<Appended> {
  let written = 0;
  let handle: FileHandle | undefined;
  try {
    handle = await openedWithFolder(file);
    if (mayBeTorn && (await isTorn(handle))) await handle.write('\n');
    const bytes = Buffer.from(lines.join(''), 'latin1');
    while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
    // Some file systems say only now that there was no room.
    const closing = handle;
    handle = undefined;
    await closing.close();
    return { lines: lines.length };
  } catch (error) {
    // What went wrong first says more.
    await handle?.close().catch(() => undefined);
    return { lines: wholeLinesIn(lines, written), error };
  }
}

async function openedWithFolder(file: string): Promise<FileHandle> {
  try {
    return await open(file, FLAGS, FILE_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
    return await open(file, FLAGS, FILE_MODE);
  }
}

async function isTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}

function wholeLinesIn(lines: readonly string[], characters: number): number {
  let end = 0;
  const torn = lines.findIndex((line) => (end += line.length) > characters);
  return torn === -1 ? lines.length : torn;
}

/** Names the file of the day on which an instant falls in the zone of the process. */
export function dayFiles(folder: string): (millis: number) => string {
  let from = NaN;
  let until = NaN;
  let file = '';
  return (millis) => {
    if (millis >= from && millis < until) return file;
    const at = new Date(millis);
    const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
    from = new Date(year, month, day).getTime();
    until = new Date(year, month, day + 1).getTime();
    const parts = [String(year), String(month + 1).padStart(2, '0'), String(day).padStart(2, '0')];
    file = join(folder, `access_log.${parts.join('-')}.log`);
    return file;
  };
}
