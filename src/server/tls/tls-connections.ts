import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import { LINGER_MILLIS } from '../body/rest-of-body.js';

type Closable = Server & { closeAllConnections?: () => void };

/**
 * Lets a server end: `close` drops connections whose TLS handshake is not over, for which Node would wait, and
 * `closeAllConnections` cuts off everything, HTTP/2 and handshakes too.
 */
export function closeWholly(server: Closable): void {
  const open = new Set<Socket>();
  const inHandshake = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    open.add(socket);
    inHandshake.set(name, socket);
    socket.once('close', () => {
      open.delete(socket);
      if (inHandshake.get(name) === socket) inHandshake.delete(name);
    });
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    inHandshake.delete(nameOf(socket));
    // We have said the last word; who never closes the other half would keep the connection for ever.
    socket.once('finish', () => {
      setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
    });
  });
  const close = server.close.bind(server);
  server.close = (callback) => {
    close(callback);
    for (const socket of inHandshake.values()) socket.destroy();
    return server;
  };
  server.closeAllConnections = () => {
    for (const socket of open) socket.destroy();
  };
}

/** The same for a connection and the TLS connection on it. */
function nameOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
