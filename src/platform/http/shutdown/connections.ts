import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';

/** Time in which a client may complete a request whose first bytes have arrived. */
const PATIENCE_MILLIS = 250;
const LOOK_EVERY_MILLIS = 50;
/** Limit for accepting queued connections, however many arrive. */
const MAX_ACCEPT_MILLIS = 2000;
/** Turns of the event loop without a new connection that show an empty queue. */
const QUIET_TURNS = 3;

/** The open connections of a listener, and their end at shutdown. */
export class Connections {
  /** Open connections by their addresses; after the handshake, the TLS connection replaces the TCP connection. */
  private readonly open = new Map<string, Socket>();
  private accepted = 0;

  constructor(
    private readonly server: HttpServer,
    /** True if a request is in progress on the connection. */
    private readonly isBusy: (socket: Socket) => boolean,
  ) {
    server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.keep(socket);
    });
    server.on('secureConnection', (socket: Socket) => {
      this.keep(socket);
    });
  }

  /** Number of open connections, including those in a TLS handshake. */
  get current(): number {
    return this.open.size;
  }

  /**
   * Accepts no new connection and waits for the end of the others. After `limitMillis`, `beforeCut` is called and the
   * remaining connections are closed.
   */
  async end(limitMillis: number, beforeCut: () => void): Promise<void> {
    if (!this.server.listening) return;
    await this.acceptQueued();
    const limit = setTimeout(() => {
      beforeCut();
      for (const socket of this.open.values()) socket.destroy();
    }, limitMillis);
    let look: NodeJS.Timeout | undefined;
    const patience = setTimeout(() => {
      this.closeUnused();
      look = setInterval(() => {
        this.closeUnused();
      }, LOOK_EVERY_MILLIS);
    }, PATIENCE_MILLIS);
    try {
      // `server.close()` of HTTP would reset idle connections at once, even if a request is on its way.
      await new Promise<void>((resolve) => {
        Server.prototype.close.call(this.server, () => {
          resolve();
        });
      });
    } finally {
      clearTimeout(limit);
      clearTimeout(patience);
      clearInterval(look);
    }
  }

  private keep(socket: Socket): void {
    const ends = endsOf(socket);
    this.open.set(ends, socket);
    socket.once('close', () => {
      if (this.open.get(ends) === socket) this.open.delete(ends);
    });
  }

  /**
   * Accepts queued connections first, because closing the socket would drop them; each turn of the event loop accepts a
   * few.
   */
  private async acceptQueued(): Promise<void> {
    const until = performance.now() + MAX_ACCEPT_MILLIS;
    for (let quietTurns = 0; quietTurns < QUIET_TURNS && performance.now() < until;) {
      const before = this.accepted;
      await nextTurn();
      quietTurns = this.accepted === before ? quietTurns + 1 : 0;
    }
  }

  /**
   * Closes connections without a request, including TLS handshakes. Node considers a connection idle while its response
   * is still being sent.
   */
  private closeUnused(): void {
    for (const socket of this.open.values()) if (!this.isBusy(socket)) socket.destroy();
  }
}

/** Key of a connection: both addresses, which a TCP connection and the TLS connection on it share. */
function endsOf({ localAddress = '', remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
