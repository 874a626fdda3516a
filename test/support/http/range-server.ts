import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { listenAt } from '../programs/free-port.js';

/** A request for a range. */
export interface AskedRange {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A service of breached passwords, in the protocol of Pwned Passwords. */
export class RangeServer {
  readonly asked: AskedRange[] = [];
  /** Replaces the response, for a test of another one. */
  answer: ((response: ServerResponse) => void) | undefined;
  private readonly counts = new Map<string, number>();
  private server: Server | undefined;
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}/range`;
  }

  /** Adds a password that occurs so often. */
  add(password: string, count = 1): this {
    this.counts.set(sha1Of(password), count);
    return this;
  }

  /** Listens at the port of its last start, if there was one. */
  async start(): Promise<this> {
    const server = createServer(({ url = '', headers }, response) => {
      this.asked.push({ path: url, headers });
      if (this.answer) this.answer(response);
      else response.end(this.range(url.slice('/range/'.length), headers['add-padding'] === 'true'));
    });
    this.port = await listenAt(this.port, server);
    this.server = server;
    return this;
  }

  /** A stopped server refuses connections. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  /** Padding has the count 0. The public service ends its lines with CR and LF, and the last one not at all. */
  private range(prefix: string, isPadded: boolean): string {
    const own = [...this.counts].filter(([sha1]) => sha1.startsWith(prefix));
    const lines = own.map(([sha1, count]) => `${sha1.slice(prefix.length)}:${count}`);
    const padding = Array.from(
      { length: isPadded ? 800 : 0 },
      (_, index) => `${sha1Of(`padding ${index}`).slice(5)}:0`,
    );
    return [...lines, ...padding].sort().join('\r\n');
  }
}

/** 40 upper-case hexadecimal digits. */
export function sha1Of(password: string): string {
  return createHash('sha1').update(password).digest('hex').toUpperCase();
}
