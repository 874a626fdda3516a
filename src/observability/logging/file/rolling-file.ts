import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Clock } from '../../../kernel/clock/clock.js';
import type { Charset } from '../../../kernel/encoding/charset.js';
import { type AppendResult, appendLines } from './append-lines.js';
import { type Archives, isFullDisk } from './archives.js';
import type { Batch, BatchDestination } from './batch.js';
import { dayAt, perDay } from './day.js';
import { type LineTarget, reasonOf, RETRY_MILLIS } from './line-writer.js';

export interface RollingFileOptions {
  /** Relative to the working folder unless it starts with `/`. */
  readonly file: string;
  readonly charset: Charset;
  readonly maxFileBytes: number;
  readonly archives: Archives;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

/** A log file that is rotated when its day is over or it would become too large. */
export class RollingFile implements LineTarget {
  readonly path: string;
  readonly destinationOf: (millis: number) => BatchDestination;
  private readonly maxFileBytes: number;
  private readonly archives: Archives;
  private readonly clock: Clock;
  private readonly warn: (text: string) => void;
  /** Day of the lines in the file; undefined until it is determined. */
  private day: string | undefined;
  private endsWithLine = false;
  /** Time of a failed rotation; until the next attempt the file grows, so that no line is lost. */
  private stuckAt: number | undefined;

  constructor({ file, charset, maxFileBytes, archives, clock, warn }: RollingFileOptions) {
    this.path = resolve(file);
    this.destinationOf = perDay(({ text }) => ({ file: this.path, day: text, charset }));
    this.maxFileBytes = maxFileBytes;
    this.archives = archives;
    this.clock = clock;
    this.warn = warn;
  }

  async append(batch: Batch): Promise<AppendResult> {
    const { day } = batch.destination;
    this.day ??= await this.dayOfFile(day);
    // If the clock was set back, the file continues with the current day.
    if (day < this.day || (day > this.day && (await this.roll()))) this.day = day;
    for (;;) {
      const maxBytes = this.mayRoll() ? this.maxFileBytes : Infinity;
      const appended = await appendLines(this.path, batch, { mayBeTorn: !this.endsWithLine, maxBytes });
      this.endsWithLine = !('error' in appended);
      if (appended.isFull !== true) return appended;
      if (await this.roll()) this.day = day;
    }
  }

  /** Returns the day of the last change of an existing file, but never a day after the first new line. */
  private async dayOfFile(today: string): Promise<string> {
    try {
      const { mtimeMs, size } = await stat(this.path);
      const day = dayAt(mtimeMs).text;
      return size > 0 && day < today ? day : today;
    } catch {
      // An error here also prevents writing, and is reported then.
      return today;
    }
  }

  /** Rotates the file; returns true if the next line starts a new file. */
  private async roll(): Promise<boolean> {
    if (!this.mayRoll()) return false;
    try {
      if (await this.hasLines()) await this.archives.take(this.path, this.day ?? '');
    } catch (error) {
      // A full disk is reported when a line cannot be written.
      if (this.stuckAt === undefined && !isFullDisk(error)) {
        this.warn(
          `The log file ${this.path} grows because it cannot be moved to its archive (${reasonOf(error)}). The service ` +
            'tries again every minute.',
        );
      }
      this.stuckAt = this.clock.millis();
      return false;
    }
    this.stuckAt = undefined;
    this.archives.tidy(dayAt(this.clock.millis()));
    return true;
  }

  /** An empty or missing file is not archived. */
  private async hasLines(): Promise<boolean> {
    const found = await stat(this.path).catch(() => undefined);
    return found !== undefined && found.size > 0;
  }

  private mayRoll(): boolean {
    return this.stuckAt === undefined || Math.abs(this.clock.millis() - this.stuckAt) >= RETRY_MILLIS;
  }
}
