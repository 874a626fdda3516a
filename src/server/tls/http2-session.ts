import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';

const sessions = new WeakMap<ServerHttp2Session, Session>();

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

class Session {
  private readonly streams = new Set<ServerHttp2Stream>();

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
  }

  close(): void {
    this.session.close();
    // What was sent before goes out all the same.
    if (this.streams.size === 0) this.session.destroy();
  }

  private endIdle(): void {
    if (Array.from(this.streams).some(({ writableEnded }) => !writableEnded)) this.session.setTimeout(this.idleMillis);
    else if (this.streams.size === 0) this.close();
    // Nobody takes our answers.
    else this.session.destroy();
  }
}
