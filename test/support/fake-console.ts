import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What somebody asked of the console. */
export interface ConsoleCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body; undefined where there is none. */
  readonly body: unknown;
}

/** A console that takes registrations, over HTTP, and remembers every call. */
export class FakeConsole {
  readonly calls: ConsoleCall[] = [];
  /** In place of what it would answer; `silent` answers nothing at all. */
  refuses: number | 'silent' | undefined;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      void text(request).then((body) => {
        const { method = '', url: path = '', headers } = request;
        this.calls.push({ method, path, headers, body: body === '' ? undefined : JSON.parse(body) });
        if (this.refuses === 'silent') return;
        const status = this.refuses ?? (method === 'POST' ? 201 : 204);
        response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' });
        response.end(status === 201 ? '{"id":"instance/1"}' : undefined);
      });
    });
  }

  static async start(port = 0): Promise<FakeConsole> {
    const console = new FakeConsole();
    await new Promise<void>((resolve) => console.server.listen(port, '127.0.0.1', resolve));
    return console;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
