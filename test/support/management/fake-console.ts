import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { MadeCertificate } from '../http/certificates.js';

/** A request that the console received. */
export interface ConsoleCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body; undefined without one. */
  readonly body: unknown;
}

/** A console that accepts registrations over HTTP or HTTPS and records every call. */
export class FakeConsole {
  readonly calls: ConsoleCall[] = [];
  /** Replaces its response: `silent` sends none, `page` sends a page of another server. */
  refuses: number | 'silent' | 'page' | undefined;
  /** The instance id that a registration gets. */
  id = 'instance/1';
  private readonly server: Server;

  private constructor(private readonly certificate: MadeCertificate | undefined) {
    const answer: RequestListener = (request, response) => {
      void text(request).then((body) => {
        const { method = '', url: path = '', headers } = request;
        this.calls.push({ method, path, headers, body: body === '' ? undefined : JSON.parse(body) });
        if (this.refuses === 'silent') return;
        if (this.refuses === 'page') {
          response.writeHead(200, { 'content-type': 'text/html' });
          response.end('<p>It works!</p>');
          return;
        }
        const status = this.refuses ?? (method === 'POST' ? 201 : 204);
        response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' });
        response.end(status === 201 ? JSON.stringify({ id: this.id }) : undefined);
      });
    };
    this.server = certificate
      ? createSecureServer({ cert: certificate.pem, key: readFileSync(certificate.key) }, answer)
      : createServer(answer);
  }

  static async start(port = 0, certificate?: MadeCertificate): Promise<FakeConsole> {
    const console = new FakeConsole(certificate);
    await new Promise<void>((resolve) => console.server.listen(port, '127.0.0.1', resolve));
    return console;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http${this.certificate ? 's' : ''}://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
