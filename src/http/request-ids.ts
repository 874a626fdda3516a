import type { IncomingMessage } from 'node:http';
import type { Random } from '../random/random.js';

const SENT = /^[\w.-]{8,64}$/;
/** Bytes of one id. */
const BYTES = 16;
/** Ids made at a time: asking the generator costs more than the rest of an id. */
const AT_ONCE = 256;

/** Ids of requests: 22 characters of base64url, none twice. */
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

/** The id a caller or a proxy gave, where it has the agreed form (http-api section 1). */
export function sentRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && SENT.test(sent) ? sent : undefined;
}
