import type { Http2Session, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

const sessions = new WeakMap<Http2Session, Session>();

/** Ends a connection of HTTP/2 when nothing has moved on it for `idleMillis`, unless it waits for an answer of ours. */
export function endWhenIdle(session: ServerHttp2Session, idleMillis: number): void {
  sessions.set(session, new Session(session, idleMillis));
}

/**
 * Takes no further request over it, and ends it with the answers that are due. Closed by Node alone, it would stay for as
 * long as its client has sent half a frame, or half a head.
 */
export function closeSession(session: ServerHttp2Session): void {
  sessions.get(session)?.close();
}

/** Ends it with its connection at once: what is on its way is lost. */
export function cutSession(session: Http2Session): void {
  sessions.get(session)?.cut();
}

class Session {
  private readonly streams = new Set<ServerHttp2Stream>();
  private readonly socket: Socket;

  constructor(
    private readonly session: ServerHttp2Session,
    private readonly idleMillis: number,
  ) {
    session.on('stream', (stream) => {
      this.streams.add(stream);
      stream.once('close', () => {
        this.streams.delete(stream);
        if (session.closed) this.close();
      });
    });
    session.on('timeout', () => {
      this.endIdle();
    });
    session.setTimeout(idleMillis);
    // Node hands out a stand-in that cannot be destroyed; what its `once` answers is the socket itself.
    this.socket = session.socket.once('close', () => {
      clearInterval(look);
    });
    let wasOver = false;
    // A session that is over waits for what it was just writing, and reads no more: for ever, where its client takes
    // nothing, and where Node missed that it left.
    const look = setInterval(() => {
      if (wasOver) this.socket.destroy();
      wasOver = session.destroyed;
    }, idleMillis).unref();
  }

  close(): void {
    this.session.close();
    // What was sent before goes out all the same.
    if (this.streams.size === 0) this.session.destroy();
  }

  cut(): void {
    this.session.destroy();
    this.socket.destroy();
  }

  private endIdle(): void {
    if (Array.from(this.streams).some(({ writableEnded }) => !writableEnded)) this.session.setTimeout(this.idleMillis);
    else if (this.streams.size === 0) this.close();
    // Nobody takes our answers.
    else this.cut();
  }
}
