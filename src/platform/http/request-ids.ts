import type { IncomingMessage } from 'node:http';
import type { Random } from '../../kernel/random/random.js';

const SENT = /^[\w.-]{8,64}$/;
/** Random bytes of one id. */
const BYTES = 16;
/** Ids per call of the random generator, which is the expensive part. */
const AT_ONCE = 256;

/** Generates unique request ids of 22 base64url characters. */
export class RequestIds {
  private bytes: Buffer = Buffer.alloc(0);
  private used = 0;

  constructor(private readonly random: Random) {}

  next(): string {
    if (this.used === this.bytes.length) {
      this.bytes = this.random.bytes(BYTES * AT_ONCE);
      this.used = 0;
    }
    this.used += BYTES;
    return this.bytes.toString('base64url', this.used - BYTES, this.used);
  }
}

/** The request id of a caller or proxy, if it has the agreed form (http-api section 1). */
export function sentRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && SENT.test(sent) ? sent : undefined;
}
