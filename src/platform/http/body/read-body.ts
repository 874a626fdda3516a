import type { Readable } from 'node:stream';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { HttpError } from '../errors/http-error.js';
import type { BodyMemory, MemoryHolder } from './body-memory.js';

const NOTHING = Buffer.alloc(0);
/** Size of the first buffer of a body that arrives in chunks. */
const MIN_BUFFER_BYTES = 512;

/** One shared instance: under load there are hundreds, and each stack trace would cost memory. */
const NO_MEMORY = new HttpError('UNAVAILABLE', { reason: 'memory of bodies', closesConnection: true });

export interface BodyReadLimits {
  /** Limit in bytes for the whole body. */
  readonly limit: number;
  readonly memory: BodyMemory;
}

/** Receives the outcome of a body; called exactly once. */
export type BodyCallback = (rejection: ServiceError | null, body: Buffer) => void;

/**
 * Reads a whole body into one buffer; a list of tiny chunks would take hundreds of times as much memory. The rest of a
 * rejected body is left to the error response.
 */
export function readBody(
  stream: Readable,
  contentLength: string | undefined,
  limits: BodyReadLimits,
  done: BodyCallback,
): void {
  const announced = contentLength === undefined ? undefined : Number(contentLength);
  if (announced !== undefined && announced > limits.limit) done(new ServiceError('PAYLOAD_TOO_LARGE'), NOTHING);
  else new BodyReader(stream, announced, limits, done).begin();
}

class BodyReader implements MemoryHolder {
  private bytes: Buffer = NOTHING;
  private length = 0;
  private isOver = false;

  constructor(
    private readonly stream: Readable,
    private readonly announced: number | undefined,
    private readonly limits: BodyReadLimits,
    private readonly done: BodyCallback,
  ) {}

  begin(): void {
    // A disconnect is a close without an end.
    this.stream.on('data', this.take).on('end', this.end).on('close', this.abandon);
  }

  onEvicted(): void {
    this.finish(NO_MEMORY);
  }

  private readonly take = (chunk: Buffer): void => {
    const length = this.length + chunk.length;
    if (length > this.limits.limit) {
      this.finish(new ServiceError('PAYLOAD_TOO_LARGE'));
      return;
    }
    if (chunk.length === this.announced) {
      // The whole body in one chunk, as nearly all bodies arrive.
      this.limits.memory.take(this, length);
      if (this.isOver) return;
      this.bytes = chunk;
    } else {
      if (length > this.bytes.length) this.grow(length);
      if (this.isOver) return;
      chunk.copy(this.bytes, this.length);
    }
    this.length = length;
  };

  private grow(needed: number): void {
    const roomy = Math.max(2 * this.bytes.length, MIN_BUFFER_BYTES);
    const size = Math.max(needed, Math.min(roomy, this.announced ?? this.limits.limit));
    this.limits.memory.take(this, size);
    if (this.isOver) return;
    const grown = Buffer.allocUnsafeSlow(size);
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }

  private readonly end = (): void => {
    const isWhole = this.announced === undefined || this.length === this.announced;
    this.finish(isWhole ? null : new ServiceError('VALIDATION_FAILED'));
  };

  private readonly abandon = (): void => {
    this.finish(new ServiceError('VALIDATION_FAILED'));
  };

  private finish(rejection: ServiceError | null): void {
    const body = this.bytes.subarray(0, this.length);
    this.isOver = true;
    this.bytes = NOTHING;
    this.stream.off('data', this.take).off('end', this.end).off('close', this.abandon);
    this.limits.memory.release(this);
    this.done(rejection, rejection ? NOTHING : body);
  }
}
