import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestTracker } from './request-tracker.js';

/** Maximum number of requests of one connection that have arrived completely and whose response is not sent yet. */
const MAX_AHEAD = 4;
/**
 * Minimum size of a piece in bytes, so that many blank lines in a body cost little; a few short requests fit into it.
 */
const MIN_PIECE = 64;
/** End of a head: a piece that ends there contains one request if the request is longer than `MIN_PIECE`. */
const BLANK_LINE = '\r\n\r\n';

/**
 * Lets a few requests of a connection run ahead of its unsent responses (RFC 9112 section 9.3.2). Without it, Node parses
 * whatever has arrived, a thousand requests at once, and keeps each of them and its response until the client has read
 * the responses before it.
 */
export class RequestPipelining {
  /**
   * Connections that are read again once a response is sent. Only connections that Node has not paused: Node ends the process
   * if it gets bytes of one that it has paused itself, so only Node may resume it. It pauses only while it parses, and of a
   * held connection nothing is parsed.
   */
  private readonly held = new WeakSet<Socket>();

  constructor(private readonly tracker: RequestTracker) {}

  /** `event` is the one with which the server starts to read a connection. */
  limit(server: Server, event: 'connection' | 'secureConnection'): void {
    server.on(event, (socket: Socket) => {
      this.readInPieces(socket);
    });
    // What follows CONNECT is no request, and Node has given its parser to another connection.
    server.on('connect', (_request, socket: Socket) => socket.removeAllListeners('data'));
  }

  /** Continues to read the connection of a request whose response is sent. */
  onEnd(socket: Socket): void {
    if (this.held.delete(socket)) socket.resume();
  }

  /** Divides what Node's HTTP server reads from the connection, in place of the listener that passes all of it to the parser. */
  private readInPieces(socket: Socket): void {
    const [parse] = socket.listeners('data') as unknown as readonly ((chunk: Buffer) => void)[];
    if (!parse) return;
    socket.removeListener('data', parse);
    socket.on('data', (chunk: Buffer) => {
      let at = 0;
      do {
        // Node pauses it as well, while a body or a response is not taken.
        if (!socket.isPaused() && this.tracker.countUnanswered(socket) >= MAX_AHEAD) this.hold(socket);
        if (socket.isPaused()) {
          socket.unshift(chunk.subarray(at));
          return;
        }
        // Node may pause it from here on. Node also resumes a held connection, such as for a handler that reads its body.
        this.held.delete(socket);
        const end = endOfPiece(chunk, at);
        const isWhole = at === 0 && end === chunk.length;
        parse(isWhole ? chunk : chunk.subarray(at, end));
        at = end;
      } while (at < chunk.length && isRead(socket));
    });
  }

  private hold(socket: Socket): void {
    this.held.add(socket);
    socket.pause();
  }
}

/** False once the connection is closed or its bytes are not HTTP any more. */
function isRead(socket: Socket): boolean {
  return !socket.destroyed && socket.listenerCount('data') > 0;
}

function endOfPiece(chunk: Buffer, start: number): number {
  const end = chunk.indexOf(BLANK_LINE, start + MIN_PIECE - BLANK_LINE.length, 'latin1');
  return end < 0 ? chunk.length : end + BLANK_LINE.length;
}
