import { write, writeSync } from 'node:fs';
import { type Charset, UTF_8 } from '../../kernel/encoding/charset.js';

/** The destination of lines, such as a descriptor of this process. */
export interface Destination {
  /** Writes some of the bytes and reports how many, like `fs.write`. */
  write(bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  /** Writes synchronously; throws if that fails. */
  writeNow(bytes: Buffer): number;
}

export interface OutputOptions {
  readonly destination: Destination;
  readonly charset?: Charset;
  /** Maximum number of characters that wait for a slow reader; further lines are lost. */
  readonly maxPendingLength?: number;
  /** Text about lost lines, written once the destination is read again. */
  readonly lostText: (lines: number) => string;
}

/** Milliseconds a line waits for others, because one write for many lines is cheaper for requests. */
const GATHER_MILLIS = 10;
/** Number of waiting characters that are written at once. */
const GATHER_SIZE = 64 * 1024;
const MAX_PENDING_LENGTH = 8 * 1024 * 1024;
/** Milliseconds until the next attempt: soon for a full pipe, later for a broken pipe or a full disk. */
const FULL_MILLIS = 5;
const BROKEN_MILLIS = 1000;

/**
 * Writes lines to a file descriptor in order, without blocking their writers. If the reader is slow or gone, lines wait up
 * to a limit; further lines are counted as lost.
 */
export class Output {
  private readonly destination: Destination;
  private readonly charset: Charset;
  private readonly lostText: (lines: number) => string;
  private readonly maxPendingLength: number;
  private waiting: string[] = [];
  private size = 0;
  private lost = 0;
  /** Bytes of the last write that are not written yet. */
  private bytes: Buffer = Buffer.alloc(0);
  private isWriting = false;
  /** True after a failure, until the next attempt. */
  private isHeld = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly onIdle: (() => void)[] = [];

  constructor({ destination, charset = UTF_8, maxPendingLength = MAX_PENDING_LENGTH, lostText }: OutputOptions) {
    this.destination = destination;
    this.charset = charset;
    this.maxPendingLength = maxPendingLength;
    this.lostText = lostText;
  }

  add(text: string): void {
    if (this.size + this.bytes.length + text.length > this.maxPendingLength) {
      this.lost += 1;
      return;
    }
    this.waiting.push(text);
    this.size += text.length;
    if (this.size >= GATHER_SIZE && !this.isHeld) this.writeNext();
    else this.arm(GATHER_MILLIS);
  }

  /** Resolves when all lines are written or cannot be written, after `limitMillis` at the latest. */
  async flush(limitMillis: number): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      limit = setTimeout(resolve, limitMillis);
      this.onIdle.push(resolve);
      this.writeNext();
    });
    clearTimeout(limit);
  }

  /** Writes as much as possible without waiting, for a process that is about to end. */
  flushNow(): void {
    let left = this.isWriting ? Buffer.alloc(0) : this.bytes;
    this.takeWaiting();
    left = Buffer.concat([left, this.bytes]);
    this.bytes = Buffer.alloc(0);
    try {
      while (left.length > 0) left = left.subarray(this.destination.writeNow(left));
    } catch {
      // The process ends; an error cannot be reported any more.
    }
  }

  private arm(millis: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.isHeld = false;
      this.writeNext();
    }, millis).unref();
  }

  private writeNext(): void {
    if (this.isWriting) return;
    if (this.bytes.length === 0) this.takeWaiting();
    if (this.bytes.length === 0) {
      this.endFlush();
      return;
    }
    this.isWriting = true;
    this.destination.write(this.bytes, (error, written) => {
      this.isWriting = false;
      if (error) {
        this.hold(error.code === 'EAGAIN');
        return;
      }
      this.bytes = this.bytes.subarray(written);
      if (this.bytes.length > 0 || this.size >= GATHER_SIZE || this.onIdle.length > 0) this.writeNext();
      else if (this.size > 0 || this.lost > 0) this.arm(GATHER_MILLIS);
    });
  }

  /** A full pipe has a reader; after another failure, the bytes may never be written. */
  private hold(isFull: boolean): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isHeld = true;
    this.arm(isFull ? FULL_MILLIS : BROKEN_MILLIS);
    if (!isFull) this.endFlush();
  }

  private endFlush(): void {
    for (const resolve of this.onIdle.splice(0)) resolve();
  }

  private takeWaiting(): void {
    if (this.lost > 0) {
      // Follows the lines that waited while others were lost.
      this.waiting.push(this.lostText(this.lost));
      this.lost = 0;
    }
    this.bytes = this.charset.encode(this.waiting.join(''));
    this.waiting = [];
    this.size = 0;
  }
}

/** Writes to a descriptor of this process, such as standard output, off the main thread. */
export function descriptor(fd: number): Destination {
  return {
    write: (bytes, done) => {
      write(fd, bytes, done);
    },
    writeNow: (bytes) => writeSync(fd, bytes),
  };
}
