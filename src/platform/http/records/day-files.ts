import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../kernel/clock/clock.js';
import { type AppendResult, appendLines } from '../../../observability/logging/file/append-lines.js';
import type { Batch, BatchDestination } from '../../../observability/logging/file/batch.js';
import { dayAt, daysBefore, perDay } from '../../../observability/logging/file/day.js';
import { type LineTarget, reasonOf } from '../../../observability/logging/file/line-writer.js';

export interface DayFilesOptions {
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Number of days that files are kept after their own; negative keeps all. */
  readonly maxDays: number;
  /** Maximum size of all files together in bytes; 0 sets no limit. */
  readonly totalBytes: number;
  readonly clock: Clock;
  /** Receives one warning when old files cannot be deleted. */
  readonly warn: (text: string) => void;
}

interface DayFile {
  readonly day: string;
  /** Number within the day, from 0. */
  readonly part: number;
  readonly path: string;
}

/** Number of files that make up the limit of the total size, so that the oldest lines make room for the newest. */
const PARTS = 10;

/**
 * One file per day in the time zone of the process, `access_log.yyyy-MM-dd.log`; further parts of a day with many lines are
 * `access_log.yyyy-MM-dd.1.log` and so on. The first line of each file deletes files that are too old or too many.
 */
export class DayFiles implements LineTarget {
  readonly destinationOf: (millis: number) => BatchDestination;
  private readonly folder: string;
  private readonly maxDays: number;
  private readonly totalBytes: number;
  private readonly maxFileBytes: number;
  private readonly clock: Clock;
  private readonly warn: (text: string) => void;
  /** The file that lines of its day are appended to; undefined before the first one. */
  private current: DayFile | undefined;
  /** The file whose last line is known to be complete. */
  private wholeFile: string | undefined;
  private isWarned = false;

  constructor({ folder, maxDays, totalBytes, clock, warn }: DayFilesOptions) {
    this.folder = folder;
    this.maxDays = maxDays;
    this.totalBytes = totalBytes;
    this.maxFileBytes = totalBytes > 0 ? Math.ceil(totalBytes / PARTS) : Infinity;
    this.clock = clock;
    this.warn = warn;
    const pathOf = (day: string): string => (this.current?.day === day ? this.current.path : this.pathOf(day, 0));
    this.destinationOf = perDay(({ text: day }) => ({
      day,
      get file() {
        return pathOf(day);
      },
    }));
  }

  async append(batch: Batch): Promise<AppendResult> {
    const { day } = batch.destination;
    if (this.current?.day !== day) {
      const last = (await this.files()).filter((file) => file.day === day).at(-1);
      await this.begin(day, last?.part ?? 0);
    }
    for (;;) {
      const { path, part } = this.current ?? (await this.begin(day, 0));
      const mayBeTorn = path !== this.wholeFile;
      const appended = await appendLines(path, batch, { mayBeTorn, maxBytes: this.maxFileBytes });
      this.wholeFile = 'error' in appended ? undefined : path;
      if (appended.isFull !== true) return appended;
      await this.begin(day, part + 1);
    }
  }

  private async begin(day: string, part: number): Promise<DayFile> {
    const begun = { day, part, path: this.pathOf(day, part) };
    this.current = begun;
    try {
      await this.deleteOld(begun);
      this.isWarned = false;
    } catch (error) {
      if (!this.isWarned) {
        this.warn(
          `Old files of the access log in ${this.folder} cannot be deleted (${reasonOf(error)}). The next attempt ` +
            'follows with the next file.',
        );
      }
      this.isWarned = true;
    }
    return begun;
  }

  /** Deletes files by age, then by total size, which includes a full current file. */
  private async deleteOld(current: DayFile): Promise<void> {
    const oldest = this.maxDays < 0 ? '' : daysBefore(dayAt(this.clock.millis()), this.maxDays);
    let total = this.maxFileBytes;
    for (const { day, path } of (await this.files()).reverse()) {
      if (path === current.path) continue;
      if (this.totalBytes > 0) total += await sizeOf(path);
      if (day < oldest || (this.totalBytes > 0 && total > this.totalBytes)) await rm(path, { force: true });
    }
  }

  /** Returns the files of the access log in the folder, oldest first; none if it cannot be read. */
  private async files(): Promise<DayFile[]> {
    // The next write to the folder reports the problem.
    const entries = await readdir(this.folder, { withFileTypes: true }).catch(() => []);
    return entries
      .flatMap((entry) => {
        const name = /^access_log\.(\d{4}-\d{2}-\d{2})(?:\.(\d{1,9}))?\.log$/.exec(entry.name);
        const [, day = '', part = '0'] = name ?? [];
        return name && entry.isFile() ? [{ day, part: Number(part), path: join(this.folder, entry.name) }] : [];
      })
      .sort((a, b) => (a.day === b.day ? a.part - b.part : a.day < b.day ? -1 : 1));
  }

  private pathOf(day: string, part: number): string {
    return join(this.folder, `access_log.${day}${part === 0 ? '' : `.${part}`}.log`);
  }
}

/** Returns the size in bytes; 0 for a file that another process has deleted. */
async function sizeOf(path: string): Promise<number> {
  return (await lstat(path).catch(() => undefined))?.size ?? 0;
}
