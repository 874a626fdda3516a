import { write, writeSync } from 'node:fs';
import { type Charset, UTF_8 } from '../encoding/charset.js';

/** Where lines end up, such as a descriptor of this process. */
export interface Destination {
  /** Writes some of the bytes and says how many; as `fs.write`. */
  write(bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  /** The same at once; throws where it cannot. */
  writeNow(bytes: Buffer): number;
}

export interface OutputOptions {
  readonly destination: Destination;
  readonly charset?: Charset;
  /** Characters that wait at most for a reader that does not keep up; what comes beyond is lost. */
  readonly mostWaiting?: number;
  /** Text about lost lines, written once the destination is read again. */
  readonly lostText: (lines: number) => string;
}

/** Milliseconds a line waits for others: one write for many costs requests less. */
const GATHER_MILLIS = 10;
/** Characters that do not wait. */
const GATHER_SIZE = 64 * 1024;
const MAX_PENDING_BYTES = 8 * 1024 * 1024;
/** A pipe that is full is tried again soon, one without a reader, or a full disk, later. */
const FULL_MILLIS = 5;
const BROKEN_MILLIS = 1000;

/**
 * Lines on their way to a file descriptor, in order. Nobody waits for them: where the other side is slow, or gone, they
 * wait here up to a limit, and are counted beyond.
 */
export class Output {
  private readonly destination: Destination;
  private readonly charset: Charset;
  private readonly lostText: (lines: number) => string;
  private readonly mostWaiting: number;
  private waiting: string[] = [];
  private size = 0;
  private lost = 0;
  /** What is left of the last piece. */
  private bytes: Buffer = Buffer.alloc(0);
  private isWriting = false;
  /** After a failure, until it is tried again. */
  private isHeld = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly onIdle: (() => void)[] = [];

  constructor({ destination, charset = UTF_8, mostWaiting = MAX_PENDING_BYTES, lostText }: OutputOptions) {
    this.destination = destination;
    this.charset = charset;
    this.mostWaiting = mostWaiting;
    this.lostText = lostText;
  }

  add(text: string): void {
    if (this.size + this.bytes.length + text.length > this.mostWaiting) {
      this.lost += 1;
      return;
    }
    this.waiting.push(text);
    this.size += text.length;
    if (this.size >= GATHER_SIZE && !this.isHeld) this.writeNext();
    else this.arm(GATHER_MILLIS);
  }

  /** Resolves when all is written, or cannot be, and after `limitMillis` at the latest. */
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

  /** A pipe that is full has a reader; what cannot be written now may well be never. */
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
      // Behind what waited while others were lost.
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
