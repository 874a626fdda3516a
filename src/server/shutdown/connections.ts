import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';
import { Server as TlsServer, TLSSocket } from 'node:tls';

/** How long clients of open connections may still send a request that was on its way. */
const PATIENCE_MILLIS = 250;
const LOOK_EVERY_MILLIS = 50;
/** However many come. */
const LONGEST_WELCOME_MILLIS = 2000;
/** Turns of the loop without a new connection, after which there is none. */
const QUIET_TURNS = 3;

/** The open connections of a listener, and how they come to an end. */
export class Connections {
  private readonly open = new Set<Socket>();

  private readonly tls: TlsServer | undefined;
  private accepted = 0;

  constructor(
    private readonly server: HttpServer,
    /** Whether a request is in progress over a connection. */
    private readonly isBusy: (socket: Socket) => boolean,
  ) {
    this.tls = (server as Server) instanceof TlsServer ? (server as unknown as TlsServer) : undefined;
    server.on(this.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.open.add(socket);
      this.accepted += 1;
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /**
   * Takes no new connection and waits for the end of the others; those that are left after `limitMillis` are cut, and
   * `beforeCut` is told.
   */
  async end(limitMillis: number, beforeCut: () => void): Promise<void> {
    if (!this.server.listening) return;
    await this.everybodyIn();
    const limit = setTimeout(() => {
      beforeCut();
      this.cut();
    }, limitMillis);
    let look: NodeJS.Timeout | undefined;
    const patience = setTimeout(() => {
      // Sessions of HTTP/2 finish what they have begun, handshakes are given up.
      this.tls?.close();
      this.closeUnused();
      look = setInterval(() => {
        this.closeUnused();
      }, LOOK_EVERY_MILLIS);
    }, PATIENCE_MILLIS);
    try {
      // Not `server.close()` of HTTP, which resets idle connections at once, under a request that is on its way.
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

  /** Ends all connections, whatever is going on over them. */
  cut(): void {
    this.server.closeAllConnections();
  }

  /** The listening socket would take those in its queue with it; a turn of the loop accepts a few of them. */
  private async everybodyIn(): Promise<void> {
    const until = performance.now() + LONGEST_WELCOME_MILLIS;
    for (let quietTurns = 0; quietTurns < QUIET_TURNS && performance.now() < until;) {
      const before = this.accepted;
      await nextTurn();
      quietTurns = this.accepted === before ? quietTurns + 1 : 0;
    }
  }

  /** Not Node's own idea of idle: to it, an answer that is still on its way is over. */
  private closeUnused(): void {
    for (const socket of this.open) if (!this.isBusy(socket) && !hasSession(socket)) socket.destroy();
  }
}

function hasSession(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
