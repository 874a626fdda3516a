import { createServer, type Server } from 'node:http';
import { text as wholeText } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { listenAt } from '../programs/free-port.js';
import { waitUntil } from '../runner/wait-until.js';

/** The address of an application for back-channel logouts; answers with `status`. */
export class LogoutReceiver {
  readonly tokens: string[] = [];
  status = 200;
  private readonly server: Server = createServer((request, response) => {
    void wholeText(request).then((body) => {
      this.tokens.push(new URLSearchParams(body).get('logout_token') ?? '');
      response.writeHead(this.status).end();
    });
  });
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}/logout`;
  }

  async start(): Promise<this> {
    this.port = await listenAt(0, this.server);
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Waits for a number of logout tokens of which a claim has this value. */
  received(claim: 'sid' | 'sub', value: unknown, number = 1): Promise<readonly string[]> {
    return waitUntil(`the application got ${number} logout tokens`, () => {
      const found = this.tokens.filter((token) => decodeJwt(token)[claim] === value);
      return found.length >= number ? found : undefined;
    });
  }
}
