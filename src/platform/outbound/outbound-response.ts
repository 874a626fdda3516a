import type { Dispatcher } from 'undici';
import { OutboundFailure } from './outbound-failure.js';

/** Maximum size of a discarded body that is read, so that its connection can be reused. */
const MAX_DISCARDED_BYTES = 16 * 1024;

/** The head of a response, and its body, which must be read or discarded. */
export class OutboundResponse {
  constructor(
    private readonly response: Dispatcher.ResponseData,
    private readonly failureOf: (error: unknown) => OutboundFailure,
    /** Called once the body is read or discarded. */
    private readonly onEnd: (failure?: OutboundFailure) => void,
  ) {}

  get status(): number {
    return this.response.statusCode;
  }

  get isSuccess(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** The first value of a header, by its name in lower case. */
  header(name: string): string | undefined {
    return [this.response.headers[name]].flat()[0];
  }

  /**
   * Reads the body.
   * @throws OutboundFailure, `TOO_LARGE` if it is longer than `maxBytes`, whatever `Content-Length` states
   */
  async read(maxBytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    try {
      for await (const part of this.response.body as AsyncIterable<Buffer>) {
        length += part.length;
        if (length > maxBytes) throw new OutboundFailure('TOO_LARGE', `larger than ${maxBytes} bytes`);
        parts.push(part);
      }
    } catch (error) {
      const failure = this.failureOf(error);
      this.onEnd(failure);
      throw failure;
    }
    this.onEnd();
    return Buffer.concat(parts);
  }

  /** Discards the body: reads a short one, and closes the connection before a longer one. Never throws. */
  async discard(): Promise<void> {
    await this.response.body.dump({ limit: MAX_DISCARDED_BYTES }).catch(() => undefined);
    this.onEnd();
  }
}
