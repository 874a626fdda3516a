import { withTimeout } from '../../../kernel/clock/with-timeout.js';
import type { Clock } from '../../../kernel/clock/clock.js';
import { type AppendResult, appendLinesNow } from './append-lines.js';
import { Batch, type BatchDestination } from './batch.js';

/** Maximum wait of a line for others, in milliseconds. */
const FLUSH_MILLIS = 1000;
/** Number of waiting characters that are written at once. */
const FLUSH_SIZE = 64 * 1024;
/** Maximum number of characters that wait while the file cannot be written; further lines are lost. */
const MAX_PENDING_LENGTH = 4 * 1024 * 1024;
export const RETRY_MILLIS = 60_000;
/** Time that shutdown waits for a disk that hangs, in milliseconds. */
export const CLOSE_MILLIS = 2000;

/** The files that lines are written to. */
export interface LineTarget {
  /** Returns file and day of a line; the same object for lines that are written together. */
  destinationOf(millis: number): BatchDestination;
  /** Writes as much of a batch as possible; an empty batch tests whether the file can be written. */
  append(batch: Batch): Promise<AppendResult>;
}

export interface LineWriterOptions {
  /** Name of the file in warnings, such as `access log`. */
  readonly name: string;
  readonly target: LineTarget;
  readonly clock: Clock;
  /** Receives one warning when the file cannot be written, and one when it can be written again. */
  readonly warn: (text: string) => void;
}

/** A file that could not be written, and the time of the last attempt in milliseconds since 1970. */
interface WriteFailure {
  readonly file: string;
  readonly at: number;
}

/** Writers with lines that would be lost if the process ended. */
const WITH_LINES = new Set<LineWriter>();

function writeAllNow(): void {
  for (const writer of WITH_LINES) writer.writeNow();
}

/**
 * Writes lines in batches, every second, in order. The file is opened for each write, so a file that was moved or removed
 * is created again. Errors never reach the code that logs.
 */
export class LineWriter {
  private readonly name: string;
  private readonly target: LineTarget;
  private readonly clock: Clock;
  private readonly warn: (text: string) => void;
  /** Oldest day first. */
  private waiting: Batch[] = [];
  private inFlight: readonly Batch[] = [];
  private lost = 0;
  private failure: WriteFailure | undefined;
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor({ name, target, clock, warn }: LineWriterOptions) {
    this.name = name;
    this.target = target;
    this.clock = clock;
    this.warn = warn;
  }

  /** Creates folder and file, so that startup reports at once if that is not possible. */
  open(): Promise<void> {
    return this.flush();
  }

  /** Adds a line with its line break; `at` is in milliseconds since 1970. An urgent line is written at once. */
  add(line: string, at: number, isUrgent = false): void {
    const destination = this.target.destinationOf(at);
    const size = this.size;
    if (size + line.length > MAX_PENDING_LENGTH) {
      this.lost += 1;
      if (!this.failure) this.reportFailure(destination.file, 'the disk does not keep up');
      return;
    }
    let last = this.waiting.at(-1);
    if (last?.destination !== destination) this.waiting.push((last = new Batch(destination)));
    last.add(line);
    this.registerAtExit();
    if ((isUrgent || size + line.length >= FLUSH_SIZE) && !this.failure) void this.flush();
    else this.arm();
  }

  /** Writes all lines that still wait. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await withTimeout(this.finish(), CLOSE_MILLIS, () => undefined);
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Writes lines that were not passed to the system yet, synchronously, because the process ends. */
  writeNow(): void {
    for (const { destination, lines, issued } of [...this.inFlight, ...this.waiting]) {
      const left = lines.slice(issued);
      if (left.length > 0) appendLinesNow(destination, left);
    }
  }

  private get size(): number {
    let size = 0;
    for (const batch of this.inFlight) size += batch.size;
    for (const batch of this.waiting) size += batch.size;
    return size;
  }

  private registerAtExit(): void {
    if (WITH_LINES.size === 0 && !process.listeners('exit').includes(writeAllNow)) process.once('exit', writeAllNow);
    WITH_LINES.add(this);
  }

  private async finish(): Promise<void> {
    await this.writing;
    if (this.waiting.length > 0) await this.flush();
  }

  private arm(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.mayTry()) void this.flush();
      if (this.failure) this.arm();
    }, FLUSH_MILLIS).unref();
  }

  /** False for a minute after a failed write to the same file; the clock may also have been set back. */
  private mayTry(): boolean {
    if (!this.failure) return true;
    const now = this.clock.millis();
    return Math.abs(now - this.failure.at) >= RETRY_MILLIS || this.target.destinationOf(now).file !== this.failure.file;
  }

  /** Runs one write at a time, so that lines keep their order. */
  private flush(): Promise<void> {
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
      if (this.waiting.length > 0) this.arm();
      else WITH_LINES.delete(this);
    });
    return this.writing;
  }

  private async write(): Promise<void> {
    const now = this.clock.millis();
    const batches = this.waiting.length > 0 ? this.waiting : [new Batch(this.target.destinationOf(now))];
    this.waiting = [];
    this.inFlight = batches;
    let unwritten: Batch[] = [];
    for (const batch of batches) {
      // Later lines must not overtake lines that could not be written.
      const isBehind = unwritten.at(-1)?.destination.file === batch.destination.file;
      const appended = isBehind ? undefined : await this.target.append(batch);
      if (appended && !('error' in appended)) continue;
      unwritten.push(batch);
      if (appended) this.reportFailure(batch.destination.file, reasonOf(appended.error));
    }
    this.inFlight = [];
    if (batches.at(-1) !== unwritten.at(-1)) {
      // Lines of a past day with a file of its own are not retried.
      for (const { lines } of unwritten) this.lost += lines.length;
      unwritten = [];
      this.reportRecovery();
    }
    const [first, ...rest] = this.waiting;
    const last = unwritten.at(-1);
    if (last && first?.destination === last.destination) {
      for (const line of first.lines) last.add(line);
      this.waiting = [...unwritten, ...rest];
    } else {
      this.waiting = [...unwritten, ...this.waiting];
    }
  }

  private reportFailure(file: string, reason: string): void {
    const isFirst = !this.failure;
    this.failure = { file, at: this.clock.millis() };
    this.arm();
    if (!isFirst) return;
    this.warn(
      `The ${this.name} ${file} cannot be written (${reason}). Requests are not affected; their lines wait, ` +
        `${MAX_PENDING_LENGTH / 1024 / 1024} MB of them at most. The service tries again every minute.`,
    );
  }

  private reportRecovery(): void {
    if (!this.failure) return;
    const { file } = this.failure;
    const lines = this.lost === 1 ? '1 line is' : `${this.lost === 0 ? 'no' : this.lost} lines are`;
    this.failure = undefined;
    this.lost = 0;
    this.warn(`The ${this.name} is written again to ${file}; ${lines} lost.`);
  }
}

/** Returns the message of a Node error without the name of the call and the path. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, [a-z]+(?: '.*)?$/s, '') : 'unknown';
}
