import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server on the loopback address that shows the metadata a test gives it. */
export class MetadataServer {
  /** How often it was asked. */
  calls = 0;
  status = 200;
  headers: Readonly<Record<string, string>> = {};
  answer: string | Buffer = '';
  /** Nothing is answered before. */
  heldUntil: Promise<unknown> = Promise.resolve();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((_, response) => {
      this.calls += 1;
      void this.heldUntil.then(() => {
        response.writeHead(this.status, this.headers);
        response.end(this.answer);
      });
    });
  }

  static async start(): Promise<MetadataServer> {
    const made = new MetadataServer();
    await new Promise<void>((resolve) => made.server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/metadata`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }
}
