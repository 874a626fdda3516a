import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that can be shut, as if it had stopped, or be silent, as if somebody dropped all packets. */
export class Door {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private isSilent = false;
  port = 0;

  constructor(private readonly target: { readonly host: string; readonly port: number }) {}

  async open(): Promise<void> {
    this.isSilent = false;
    this.server = createServer((inside) => {
      this.lead(inside);
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Whoever is inside is cut off. */
  async shut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  /** Takes connections and everything that is said, and answers nothing, until it is opened again after a shut. */
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
    inside.pipe(outside);
    outside.pipe(inside);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
  }
}
