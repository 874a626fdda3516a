import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Permit } from '../../signin/auth/guards/permit.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { MultipartProperties } from '../../platform/http/upload/multipart.properties.js';

/** Interval of the check that the caller may still receive the export, also while its client reads nothing. */
const VERIFY_MILLIS = 2000;
/** Maximum duration of an export, however steadily its client reads; a line of 10 Mbit/s transfers 4 GB in it. */
const MAX_MILLIS = 3_600_000;

/**
 * Exports in progress. Each occupies a slot (`server.embedded.threads.max`) for as long as its client reads, so their number for
 * each user and their time have limits.
 */
@Injectable()
export class ExportStreams {
  private readonly open = new Map<string, number>();
  private readonly limit: number;

  constructor({ maxPerUser }: MultipartProperties) {
    this.limit = maxPerUser;
  }

  /**
   * Streams the parts that `begin` returns. The stream is destroyed once its caller may not receive it any longer, or after an
   * hour.
   * @throws ServiceError `RATE_LIMITED`; as `begin` does
   */
  async stream(permit: Permit, begin: () => Promise<AsyncIterable<string>>): Promise<Readable> {
    const leave = this.enter(permit.subject);
    try {
      const stream = Readable.from(await begin());
      const end = endWithPermit(stream, permit);
      stream.once('close', () => {
        end();
        leave();
      });
      return stream;
    } catch (error) {
      leave();
      throw error;
    }
  }

  private enter(subject: string): () => void {
    const others = this.open.get(subject) ?? 0;
    if (others >= this.limit) {
      throw new ServiceError('RATE_LIMITED', { reason: 'exports of one user', retryAfterSeconds: 10 });
    }
    this.open.set(subject, others + 1);
    return () => {
      const left = (this.open.get(subject) ?? 1) - 1;
      if (left > 0) this.open.set(subject, left);
      else this.open.delete(subject);
    };
  }
}

/** Destroys the stream when the permit ends, or at its longest time; the returned function ends the watch. */
function endWithPermit(stream: Readable, permit: Permit): () => void {
  const verify = setInterval(() => {
    permit.verifyAccess().catch((error: unknown) => {
      stream.destroy(error instanceof Error ? error : new ServiceError('INTERNAL_ERROR', { cause: error }));
    });
  }, VERIFY_MILLIS);
  const limit = setTimeout(() => {
    stream.destroy(new ServiceError('UNAVAILABLE', { reason: 'export too long' }));
  }, MAX_MILLIS);
  return () => {
    clearInterval(verify);
    clearTimeout(limit);
  };
}
