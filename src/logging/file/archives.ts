import { createReadStream } from 'node:fs';
import { lstat, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type ArchiveName, ArchiveNames } from './archive-name.js';
import { type Day, daysBefore } from './day.js';
import { makeFolder } from '../../files/make-folder.js';
import { FILE_MODE, FOLDER_MODE } from './append-lines.js';
import { reasonOf } from './line-writer.js';

/** Limits for archived files. */
export interface Keeping {
  /** Days before today; 0 keeps all. */
  readonly maxHistory: number;
  /** 0 for no limit. */
  readonly totalSizeCapBytes: number;
}

export interface ArchivesOptions extends Keeping {
  /** As `archivePattern` takes it. */
  readonly pattern: string;
  /** Receives one warning per failure, until the operation works again. */
  readonly warn: (text: string) => void;
}

interface Archive extends ArchiveName {
  readonly path: string;
}

/** The log files of the past: moved out of the way, packed and deleted, none of which a line waits for. */
export class Archives {
  private readonly names: ArchiveNames;
  private readonly keeping: Keeping;
  private readonly warn: (text: string) => void;
  private readonly ending = new AbortController();
  private work: Promise<void> = Promise.resolve();
  private isTold = false;

  constructor({ pattern, warn, ...keeping }: ArchivesOptions) {
    this.names = new ArchiveNames(resolve(pattern));
    this.keeping = keeping;
    this.warn = warn;
  }

  /** Moves a file to the next free name of its day; a file that is gone is no failure. */
  async take(file: string, day: string): Promise<void> {
    const known = await this.all();
    const last = Math.max(-1, ...known.filter((archive) => archive.day === day).map(({ index }) => index));
    const claimed = await this.claim(day, last + 1);
    try {
      // The file itself, where a link leads to it.
      await rename(await realpath(file), claimed);
    } catch (error) {
      await rm(claimed, { force: true });
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }

  /** Begins where an earlier run has ended. */
  open(today: Day, cleansHistory: boolean): void {
    this.inBackground(async () => {
      for (const { path, state } of await this.all()) if (state === 'unfinished') await rm(path, { force: true });
      await this.pack();
      if (cleansHistory) await this.sweep(today);
    });
  }

  /** Packs what waits to be packed, and deletes what is too old or too much. */
  tidy(today: Day): void {
    this.inBackground(async () => {
      try {
        await this.pack();
      } finally {
        await this.sweep(today);
      }
    });
  }

  /** Leaves what is not packed yet to the next start. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.work;
  }

  /** Waits for background work. */
  settled(): Promise<void> {
    return this.work;
  }

  /** One after the other. */
  private inBackground(work: () => Promise<void>): void {
    this.work = this.work.then(work).then(
      () => {
        this.isTold = false;
      },
      (error: unknown) => {
        this.fails(error);
      },
    );
  }

  /** The writer of the lines reports a full disk. */
  private fails(error: unknown): void {
    if (this.isTold || this.ending.signal.aborted || isFullDisk(error)) return;
    this.isTold = true;
    this.warn(
      `Old log files in ${this.names.folder} cannot be packed or deleted (${reasonOf(error)}). It is tried again when ` +
        'the next file is full.',
    );
  }

  /** A unique name: another service with the same file may be about to use the plain one. */
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

  /** Oldest first. */
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

  /** Also those that a crash or a full disk has left behind. */
  private async pack(): Promise<void> {
    if (!this.names.isPacked) return;
    for (const { path, state } of await this.all()) {
      if (state !== 'plain' || this.ending.signal.aborted) continue;
      // A name that was taken a moment ago, before the file is moved there.
      if ((await sizeOf(path)) > 0) await this.packOne(path);
    }
  }

  private async packOne(path: string): Promise<void> {
    const unfinished = this.names.unfinishedPath(path);
    const output = await open(unfinished, 'wx', FILE_MODE).catch((error: unknown) => {
      // Another service with the same file is at it.
      if (codeOf(error) === 'EEXIST') return undefined;
      throw error;
    });
    if (!output) return;
    try {
      const input = createReadStream(path);
      const { signal } = this.ending;
      await pipeline(input, createGzip(), output.createWriteStream({ flush: true }), { signal });
      // Another one may have been about to write when it was moved.
      if ((await sizeOf(path)) > input.bytesRead) throw new Error('it grows while it is packed');
      await rename(unfinished, this.names.packedPath(path));
    } catch (error) {
      await rm(unfinished, { force: true });
      // Another service with the same file was faster, or the file was removed.
      if (codeOf(error) === 'ENOENT') return;
      throw error;
    }
    await rm(path, { force: true });
  }

  /** First by age, then by size. */
  private async sweep(today: Day): Promise<void> {
    const { maxHistory, totalSizeCapBytes } = this.keeping;
    const oldest = maxHistory > 0 ? daysBefore(today, maxHistory) : '';
    const kept: { readonly path: string; readonly size: number }[] = [];
    for (const { path, day } of await this.all()) {
      if (day < oldest) await rm(path, { force: true });
      else if (totalSizeCapBytes > 0) kept.push({ path, size: await sizeOf(path) });
    }
    let total = kept.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of kept) {
      if (total <= totalSizeCapBytes) break;
      await rm(path, { force: true });
      total -= size;
    }
  }
}

export function isFullDisk(error: unknown): boolean {
  return codeOf(error) === 'ENOSPC';
}

/** In bytes; one that is gone takes no room. */
async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  return found?.size ?? 0;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
