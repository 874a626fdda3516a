import { type FileHandle, open, stat } from 'node:fs/promises';
import { withTimeout } from '../../../../kernel/clock/with-timeout.js';
import { type BreachSource, BreachSourceFailure } from './breach-source.js';

/** More than the longest line, which has 40 digits, a colon, a count and its end. */
export const MAX_LINE_BYTES = 64;
/** Trailing spaces are those of older downloads. */
const LINE = /^([\dA-F]{40})(?::(\d{1,15}))?\s*$/i;

/** A line, and the offsets of its first byte and of the line after it. */
interface HashLine {
  readonly start: number;
  readonly next: number;
  readonly sha1: string;
  /** Infinity for a line without a count, which every minimum accepts. */
  readonly count: number;
}

/**
 * A file of hashes in ascending order, one `SHA1:COUNT` or `SHA1` in a line, as downloaders of Pwned Passwords write it.
 * Each look-up opens the file, so that another one may take its place, and reads a line for each bisection.
 */
export class HashFile implements BreachSource {
  readonly isLocal = true;
  /** Look-ups that still wait for the storage after their limit. */
  private late = 0;

  constructor(
    private readonly path: string,
    private readonly limitMillis: number,
    private readonly read = withHashes<number>,
  ) {}

  async occurrences(sha1: string): Promise<number> {
    // Each look-up at a network share that hangs holds a thread, which the whole process needs.
    if (this.late > 0) throw new BreachSourceFailure('its storage does not respond');
    const reading = this.read(this.path, (hashes) => hashes.find(sha1));
    return withTimeout(reading, this.limitMillis, () => {
      this.late += 1;
      const end = (): void => {
        this.late -= 1;
      };
      reading.then(end, end);
      throw new BreachSourceFailure(`it was not read within ${this.limitMillis} ms`);
    });
  }
}

/** Opens the file for `work`. @throws BreachSourceFailure */
export async function withHashes<T>(path: string, work: (hashes: SortedHashes) => Promise<T>): Promise<T> {
  let file: FileHandle | undefined;
  try {
    const { size } = await regularFile(path);
    file = await open(path);
    return await work(new SortedHashes(file, size));
  } catch (error) {
    if (error instanceof BreachSourceFailure) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new BreachSourceFailure(`it cannot be read (${code})`, { cause: error });
  } finally {
    await file?.close();
  }
}

/** To open a pipe could wait for ever. */
async function regularFile(path: string): Promise<{ readonly size: number }> {
  const found = await stat(path);
  if (!found.isFile()) throw new BreachSourceFailure('it is not a file');
  return found;
}

/** The lines of an open file. */
export class SortedHashes {
  constructor(
    private readonly file: FileHandle,
    readonly size: number,
  ) {}

  async find(sha1: string): Promise<number> {
    // Both are the starts of lines, or the end.
    let [low, high] = [0, this.size];
    while (low < high) {
      const line = await this.lineAt(Math.floor((low + high) / 2));
      if (line.sha1 === sha1) return line.count;
      if (line.sha1 < sha1) low = line.next;
      else high = line.start;
    }
    return 0;
  }

  /** The line with the byte at `offset`, which is less than the size. @throws BreachSourceFailure */
  async lineAt(offset: number): Promise<HashLine> {
    const from = Math.max(0, offset - MAX_LINE_BYTES);
    const bytes = await this.bytes(from, 2 * MAX_LINE_BYTES);
    const at = offset - from;
    const before = at === 0 ? -1 : bytes.lastIndexOf(0x0a, at - 1);
    const end = bytes.indexOf(0x0a, at);
    const start = from + before + 1;
    const next = end < 0 ? from + bytes.length : from + end + 1;
    const [, sha1, count] = LINE.exec(bytes.toString('latin1', start - from, next - from)) ?? [];
    const isWhole = (before >= 0 || from === 0) && (end >= 0 || next === this.size);
    if (sha1 === undefined || !isWhole) throw new BreachSourceFailure(`the line at byte ${start} is not a SHA-1 hash`);
    return { start, next, sha1: sha1.toUpperCase(), count: count === undefined ? Infinity : Number(count) };
  }

  private async bytes(from: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(Math.min(length, this.size - from));
    const { bytesRead } = await this.file.read(buffer, 0, buffer.length, from);
    // A shorter file was written over this one.
    if (bytesRead < buffer.length) throw new BreachSourceFailure('it became shorter while it was read');
    return buffer;
  }
}
