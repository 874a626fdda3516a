import { resolve } from 'node:path';
import type { Clock } from '../../clock/clock.js';
import { printable } from '../../config/failure-report.js';
import type { Complain } from '../problem/defects.js';
import { type AccessFacts, lineWriter } from './access-line.js';
import type { AccessPattern } from './access-pattern.js';
import { appendLines, dayFiles } from './day-file.js';

/** Milliseconds a line waits for others at most. */
const FLUSH_MILLIS = 1000;
/** Characters that do not wait. */
const FLUSH_SIZE = 64 * 1024;
/** Characters that wait at most while the file cannot be written; lines beyond are lost. */
const MOST_WAITING = 4 * 1024 * 1024;
const RETRY_MILLIS = 60_000;
/** How long the end of the service waits for a disk that hangs. */
const CLOSE_MILLIS = 2000;

export interface AccessLogOptions {
  readonly pattern: AccessPattern;
  /** Relative to the working folder unless it starts with `/`. */
  readonly directory: string;
  readonly clock: Clock;
  readonly complain: Complain;
}

/** Lines that wait for one file. */
interface Batch {
  readonly file: string;
  readonly lines: string[];
}

/** The file that could not be written, and when that was tried last, in milliseconds since 1970. */
interface Trouble {
  readonly file: string;
  readonly at: number;
}

/**
 * Writes the lines of a listener to a file per day, every second. The file is opened for each write: what somebody
 * moves or removes meanwhile is made again. Nothing that goes wrong here reaches a request.
 */
export class AccessLog {
  private readonly lineOf: (facts: AccessFacts) => string;
  private readonly fileOf: (millis: number) => string;
  private readonly clock: Clock;
  private readonly complain: Complain;
  /** Oldest day first. */
  private waiting: Batch[] = [];
  private size = 0;
  private lost = 0;
  private trouble: Trouble | undefined;
  /** The file whose last line is known to have its end. */
  private wholeFile: string | undefined;
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor({ pattern, directory, clock, complain }: AccessLogOptions) {
    this.lineOf = lineWriter(pattern);
    this.fileOf = dayFiles(resolve(directory));
    this.clock = clock;
    this.complain = complain;
  }

  /** Makes folder and file, so that whoever starts the service hears at once where that is not possible. */
  open(): Promise<void> {
    return this.flush();
  }

  /** Adds the line of a request that has ended. */
  record(facts: AccessFacts): void {
    const line = `${this.lineOf(facts)}\n`;
    const file = this.fileOf(facts.endedAt);
    if (this.size + line.length > MOST_WAITING) {
      this.lost += 1;
      if (!this.trouble) this.fails(file, 'the disk does not keep up');
      return;
    }
    const last = this.waiting.at(-1);
    if (last?.file === file) last.lines.push(line);
    else this.waiting.push({ file, lines: [line] });
    this.size += line.length;
    if (this.size >= FLUSH_SIZE && !this.trouble) void this.flush();
    else this.arm();
  }

  /** Writes what still waits. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    let limit: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (limit = setTimeout(resolve, CLOSE_MILLIS)));
    await Promise.race([this.finish(), patience]);
    clearTimeout(limit);
    clearTimeout(this.timer);
  }

  private async finish(): Promise<void> {
    await this.writing;
    if (this.waiting.length > 0) await this.flush();
  }

  private arm(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.mayTry()) void this.flush();
      if (this.trouble) this.arm();
    }, FLUSH_MILLIS).unref();
  }

  /** After trouble once a minute, whichever way the clock was set, and at midnight. */
  private mayTry(): boolean {
    if (!this.trouble) return true;
    const now = this.clock.millis();
    return Math.abs(now - this.trouble.at) >= RETRY_MILLIS || this.fileOf(now) !== this.trouble.file;
  }

  /** One at a time, so that lines keep their order. */
  private flush(): Promise<void> {
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
      if (this.waiting.length > 0) this.arm();
    });
    return this.writing;
  }

  /** Writes what waits, or nothing at all, which says as well whether the file can be written. */
  private async write(): Promise<void> {
    const batches = this.waiting.length > 0 ? this.waiting : [{ file: this.fileOf(this.clock.millis()), lines: [] }];
    this.waiting = [];
    let refused: Batch[] = [];
    let isWritten = false;
    for (const { file, lines } of batches) {
      const appended = await appendLines(file, lines, file !== this.wholeFile);
      this.size -= lengthOf(lines.splice(0, appended.lines));
      isWritten = !('error' in appended);
      this.wholeFile = isWritten ? file : undefined;
      if (isWritten) continue;
      this.fails(file, reasonOf(appended.error));
      refused.push({ file, lines });
    }
    if (isWritten) {
      // A day that is over had its chances.
      for (const { lines } of refused) {
        this.lost += lines.length;
        this.size -= lengthOf(lines);
      }
      refused = [];
      this.worksAgain();
    }
    const [first, ...rest] = this.waiting;
    const last = refused.at(-1);
    if (last && first?.file === last.file) {
      for (const line of first.lines) last.lines.push(line);
      this.waiting = [...refused, ...rest];
    } else {
      this.waiting = [...refused, ...this.waiting];
    }
  }

  private fails(file: string, reason: string): void {
    if (!this.trouble) {
      this.warn(
        `The access log ${file} cannot be written (${reason}). Requests are served all the same; their lines wait, ` +
          `${MOST_WAITING / 1024 / 1024} MB of them at most. It is tried again every minute.`,
      );
    }
    this.trouble = { file, at: this.clock.millis() };
    this.arm();
  }

  private worksAgain(): void {
    if (!this.trouble) return;
    const lines = this.lost === 1 ? '1 line is' : `${this.lost === 0 ? 'no' : this.lost} lines are`;
    this.warn(`The access log is written again to ${this.trouble.file}; ${lines} lost.`);
    this.trouble = undefined;
    this.lost = 0;
  }

  private warn(text: string): void {
    this.complain(printable(`WARN  ${text}`));
  }
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0);
}

/** Node's text without the name of the call and the path, which stands before it. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, [a-z]+(?: '.*)?$/s, '') : 'unknown';
}
