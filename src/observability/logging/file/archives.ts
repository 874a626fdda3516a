import { createReadStream } from 'node:fs';
import { lstat, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type ArchiveName, ArchiveNames } from './archive-name.js';
import { type Day, daysBefore } from './day.js';
import { makeFolder } from '../../../kernel/files/make-folder.js';
import { FILE_MODE, FOLDER_MODE } from './append-lines.js';
import { reasonOf } from './line-writer.js';

/** Limits of the archives that are retained. */
export interface Retention {
  /** Number of days that archives are kept; 0 keeps all. */
  readonly maxHistory: number;
  /** Maximum total size in bytes; 0 sets no limit. */
  readonly totalSizeCapBytes: number;
}

export interface ArchivesOptions extends Retention {
  /** A pattern for `archivePattern`. */
  readonly pattern: string;
  /** Receives one warning per failure, until the operation works again. */
  readonly warn: (text: string) => void;
}

interface Archive extends ArchiveName {
  readonly path: string;
}

/** Moves old log files away, compresses and deletes them in the background, so that no line waits. */
export class Archives {
  private readonly names: ArchiveNames;
  private readonly retention: Retention;
  private readonly warn: (text: string) => void;
  private readonly ending = new AbortController();
  private work: Promise<void> = Promise.resolve();
  private isReported = false;

  constructor({ pattern, warn, ...retention }: ArchivesOptions) {
    this.names = new ArchiveNames(resolve(pattern));
    this.retention = retention;
    this.warn = warn;
  }

  /** Moves a file to the next free name of its day; a missing file is no failure. */
  async take(file: string, day: string): Promise<void> {
    const known = await this.all();
    const last = Math.max(-1, ...known.filter((archive) => archive.day === day).map(({ index }) => index));
    const claimed = await this.claim(day, last + 1);
    try {
      // Resolves a symbolic link, so that the link stays.
      await rename(await realpath(file), claimed);
    } catch (error) {
      await rm(claimed, { force: true });
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }

  /** Continues the unfinished work of an earlier run. */
  open(today: Day, cleansHistory: boolean): void {
    this.inBackground(async () => {
      for (const { path, state } of await this.all()) if (state === 'unfinished') await rm(path, { force: true });
      await this.compressAll();
      if (cleansHistory) await this.sweep(today);
    });
  }

  /** Compresses new archives, and deletes those that are too old or too many. */
  tidy(today: Day): void {
    this.inBackground(async () => {
      try {
        await this.compressAll();
      } finally {
        await this.sweep(today);
      }
    });
  }

  /** Stops; uncompressed archives are left to the next start. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.work;
  }

  /** Waits for background work. */
  settled(): Promise<void> {
    return this.work;
  }

  /** Runs background work in sequence. */
  private inBackground(work: () => Promise<void>): void {
    this.work = this.work.then(work).then(
      () => {
        this.isReported = false;
      },
      (error: unknown) => {
        this.reportFailure(error);
      },
    );
  }

  /** Warns once per failure, except for a full disk, which the writer of the lines reports. */
  private reportFailure(error: unknown): void {
    if (this.isReported || this.ending.signal.aborted || isFullDisk(error)) return;
    this.isReported = true;
    this.warn(
      `Old log files in ${this.names.folder} cannot be compressed or deleted (${reasonOf(error)}). The next ` +
        'attempt follows when the next file is full.',
    );
  }

  /** Reserves a unique name, because another service may archive the same file. */
  private async claim(day: string, from: number): Promise<string> {
    await makeFolder(this.names.folder, FOLDER_MODE);
    for (let index = from; ; index += 1) {
      const path = this.names.plainPath(day, index);
      try {
        await (await open(path, 'wx', FILE_MODE)).close();
        return path;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  /** Returns all archives, oldest first. */
  private async all(): Promise<readonly Archive[]> {
    const { folder } = this.names;
    const files = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      // The next write to the folder reports the problem.
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return [];
      throw error;
    });
    return files
      .flatMap((file) => {
        const name = file.isFile() ? this.names.read(file.name) : undefined;
        return name ? [{ ...name, path: join(folder, file.name) }] : [];
      })
      .sort((a, b) => (a.day === b.day ? a.index - b.index : a.day < b.day ? -1 : 1));
  }

  /** Compresses all archives, including those that a crash or a full disk left behind. */
  private async compressAll(): Promise<void> {
    if (!this.names.isCompressed) return;
    for (const { path, state } of await this.all()) {
      if (state !== 'plain' || this.ending.signal.aborted) continue;
      // An empty file is a reserved name; the log file is not moved there yet.
      if ((await sizeOf(path)) > 0) await this.compress(path);
    }
  }

  private async compress(path: string): Promise<void> {
    const unfinished = this.names.temporaryPath(path);
    const output = await open(unfinished, 'wx', FILE_MODE).catch((error: unknown) => {
      // Another service with the same file is compressing it.
      if (codeOf(error) === 'EEXIST') return undefined;
      throw error;
    });
    if (!output) return;
    try {
      const input = createReadStream(path);
      const { signal } = this.ending;
      await pipeline(input, createGzip(), output.createWriteStream({ flush: true }), { signal });
      if ((await sizeOf(path)) > input.bytesRead) {
        // Another service with the same file has written to the archive, and ends with it: the next turn compresses it.
        await rm(unfinished, { force: true });
        return;
      }
      await rename(unfinished, this.names.compressedPath(path));
    } catch (error) {
      await rm(unfinished, { force: true });
      // Another service with the same file was faster, or the file was removed.
      if (codeOf(error) === 'ENOENT') return;
      throw error;
    }
    await rm(path, { force: true });
  }

  /** Deletes archives by age, then by total size. */
  private async sweep(today: Day): Promise<void> {
    const { maxHistory, totalSizeCapBytes } = this.retention;
    const oldest = maxHistory > 0 ? daysBefore(today, maxHistory) : '';
    const retained: { readonly path: string; readonly size: number }[] = [];
    for (const { path, day } of await this.all()) {
      if (day < oldest) await rm(path, { force: true });
      else if (totalSizeCapBytes > 0) retained.push({ path, size: await sizeOf(path) });
    }
    let total = retained.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of retained) {
      if (total <= totalSizeCapBytes) break;
      await rm(path, { force: true });
      total -= size;
    }
  }
}

export function isFullDisk(error: unknown): boolean {
  return codeOf(error) === 'ENOSPC';
}

/** Returns the size in bytes; 0 for a missing file. */
async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  return found?.size ?? 0;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
