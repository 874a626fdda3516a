import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenAt } from './free-port.js';

/** A proxy to a server that can be shut, like a stopped server, or silent, like a network that drops all packets. */
export class Door {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private isSilent = false;
  port = 0;
  /** Writes of clients that arrived, at most one for each of their writes. */
  writes = 0;

  constructor(private readonly target: { readonly host: string; readonly port: number }) {}

  async open(): Promise<void> {
    this.isSilent = false;
    this.server = createServer((inside) => {
      this.lead(inside);
    });
    this.port = await listenAt(this.port, this.server);
  }

  /** Closes all connections and accepts no new ones. */
  async shut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  /** Accepts connections and data but sends nothing, until it is shut and opened again. */
  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.sockets) socket.unpipe().resume();
  }

  private lead(inside: Socket): void {
    this.keep(inside);
    if (this.isSilent) {
      inside.resume();
      return;
    }
    const outside = connect(this.target);
    this.keep(outside);
    inside.on('data', () => (this.writes += 1));
    inside.pipe(outside);
    outside.pipe(inside);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
  }
}
