import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenAt } from '../programs/free-port.js';

/** What the proxy does with a request: passes it on, never responds, or refuses it. */
export type ProxyMode = 'pass' | 'silent' | 'refuse';

/** A forward proxy: absolute-form for http, CONNECT for both. */
export class ForwardProxyServer {
  mode: ProxyMode = 'pass';
  /** Request lines, with the credentials that came with them. */
  readonly calls: string[] = [];
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  port = 0;

  get settings(): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: this.port };
  }

  /** Listens at the port of its last start, if there was one. */
  async start(): Promise<this> {
    const server = createServer((incoming, response) => {
      this.forward(incoming, response);
    })
      .on('connection', (socket) => this.track(socket))
      .on('connect', (incoming, socket: Socket) => {
        this.tunnel(incoming, socket);
      });
    this.port = await listenAt(this.port, server);
    this.server = server;
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  private forward(incoming: IncomingMessage, response: ServerResponse): void {
    this.record(incoming);
    if (this.mode === 'silent') return;
    if (this.mode === 'refuse') return void response.writeHead(403).end();
    const { method, headers, url = '' } = incoming;
    const outgoing = request(url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  }

  private tunnel(incoming: IncomingMessage, socket: Socket): void {
    this.record(incoming);
    if (this.mode === 'silent') return;
    if (this.mode === 'refuse') return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const { hostname, port } = new URL(`http://${incoming.url ?? ''}`);
    const target = this.track(connect(Number(port), hostname));
    target.once('connect', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
  }

  private record({ method, url, headers }: IncomingMessage): void {
    this.calls.push([method, url, headers['proxy-authorization']].filter((part) => part !== undefined).join(' '));
  }

  private track(socket: Socket): Socket {
    this.sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }
}
