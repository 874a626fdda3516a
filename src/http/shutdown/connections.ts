import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';

/** How long clients of open connections may still send a request that was on its way. */
const PATIENCE_MILLIS = 250;
const LOOK_EVERY_MILLIS = 50;
/** However many come. */
const MAX_ACCEPT_MILLIS = 2000;
/** Turns of the loop without a new connection, after which there is none. */
const QUIET_TURNS = 3;

/** The open connections of a listener, and how they come to an end. */
export class Connections {
  /** By their two ends; of one whose TLS handshake is over, the TLS connection on it. */
  private readonly open = new Map<string, Socket>();
  private accepted = 0;

  constructor(
    private readonly server: HttpServer,
    /** Whether a request is in progress over a connection. */
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

  /** Open connections, those with a TLS handshake that goes on included. */
  get current(): number {
    return this.open.size;
  }

  /**
   * Takes no new connection and waits for the end of the others; those that are left after `limitMillis` are cut, and
   * `beforeCut` is told.
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

  private keep(socket: Socket): void {
    const ends = endsOf(socket);
    this.open.set(ends, socket);
    socket.once('close', () => {
      if (this.open.get(ends) === socket) this.open.delete(ends);
    });
  }

  /** The listening socket would take those in its queue with it; a turn of the loop accepts a few of them. */
  private async acceptQueued(): Promise<void> {
    const until = performance.now() + MAX_ACCEPT_MILLIS;
    for (let quietTurns = 0; quietTurns < QUIET_TURNS && performance.now() < until;) {
      const before = this.accepted;
      await nextTurn();
      quietTurns = this.accepted === before ? quietTurns + 1 : 0;
    }
  }

  /** Handshakes, too; not Node's own idea of idle: to it, an answer that is still on its way is over. */
  private closeUnused(): void {
    for (const socket of this.open.values()) if (!this.isBusy(socket)) socket.destroy();
  }
}

/** The same for a connection and the TLS connection on it. */
function endsOf({ localAddress = '', remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
