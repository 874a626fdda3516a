import { withoutUndefined } from '../../collections/without-undefined.js';
import type { ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { FastifyServerFactory } from 'fastify';
import { LINGER_MILLIS } from '../body/unread-body.js';

/** What a listener with TLS needs beside what every listener has. */
export interface ListenerTls {
  /** Certificate, key, versions and suites. */
  readonly context: SecureContextOptions;
  /** Calls back with what takes the place of `context` for new connections; the answer ends that. */
  onUpdate(take: (context: SecureContextOptions) => void): () => void;
}

/** What Fastify hands on of its own options; it sets the two times of a server of its own making. */
interface HandedOn {
  readonly http?: ServerOptions;
  readonly keepAliveTimeout?: number;
  readonly requestTimeout?: number;
}

/** Where nothing is said about heads: the time until a TLS connection stands (ms). */
const HANDSHAKE_MILLIS = 20_000;

/** Makes the server of a listener with TLS, with the options and limits the same listener would have without. */
export function secureServers(tls: ListenerTls): FastifyServerFactory {
  return (handler, options) => {
    const { http = {}, keepAliveTimeout, requestTimeout }: HandedOn = options;
    // Node offers only http/1.1 by ALPN here; HTTP/2 is refused on purpose (docs/decisions/0044-no-http2.md).
    const server = createServer(
      {
        ...http,
        ...withoutUndefined({ keepAliveTimeout, requestTimeout }),
        handshakeTimeout: http.headersTimeout ?? HANDSHAKE_MILLIS,
        ...tls.context,
      },
      handler,
    );
    // Whoever does not speak TLS, such as a browser with http:// on this port, could not read an answer.
    server.removeAllListeners('tlsClientError').on('tlsClientError', (_error, socket) => {
      socket.destroy();
    });
    server.on('secureConnection', (socket) => {
      // We have said the last word; who never closes the other half would keep the connection for ever.
      socket.once('finish', () => {
        setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
      });
    });
    const stop = tls.onUpdate((context) => {
      server.setSecureContext(context);
    });
    server.once('close', stop);
    return server;
  };
}
