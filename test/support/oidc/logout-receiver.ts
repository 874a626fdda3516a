import { createServer, type Server } from 'node:http';
import { text as wholeText } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { listenAt } from '../programs/free-port.js';
import { waitUntil } from '../runner/wait-until.js';

/** The address of an application for back-channel logouts; answers with `status`, or not at all if it hangs. */
export class LogoutReceiver {
  readonly tokens: string[] = [];
  status = 200;
  isHanging = false;
  /** The largest number of requests without a response at one time. */
  mostOpen = 0;
  private open = 0;
  private readonly server: Server = createServer((request, response) => {
    this.mostOpen = Math.max(this.mostOpen, (this.open += 1));
    response.on('close', () => (this.open -= 1));
    void wholeText(request).then((body) => {
      this.tokens.push(new URLSearchParams(body).get('logout_token') ?? '');
      if (!this.isHanging) response.writeHead(this.status).end();
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
