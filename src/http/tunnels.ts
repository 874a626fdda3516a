import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { streamOf } from './http2-request.js';

/**
 * Has CONNECT answered, which Node hands over past the requests: over HTTP/2 like every other method, over HTTP/1, where
 * the connection is none of HTTP any more, by `refuse`.
 */
export function answerTunnels(server: Server, refuse: (request: IncomingMessage, connection: Socket) => void): void {
  server.on('connect', (request: IncomingMessage, answer: Socket) => {
    if (!streamOf(request)) {
      refuse(request, answer);
      return;
    }
    // In place of the path, which it does not have (RFC 9113 section 8.5).
    request.url = String(request.headers[':authority']);
    server.emit('request', request, answer);
  });
}
