import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { FastifyServerFactory } from 'fastify';
import { LINGER_MILLIS } from '../body/unread-body.js';

/** TLS options of a listener. */
export interface ListenerTls {
  /** Certificate, key, versions and suites. */
  readonly context: SecureContextOptions;
  /** Calls `take` with a new context for new connections; the returned function stops that. */
  onUpdate(take: (context: SecureContextOptions) => void): () => void;
}

/** Options that Fastify passes on; it applies the two timeouts only to servers that it creates itself. */
interface HandedOn {
  readonly http?: ServerOptions;
  readonly keepAliveTimeout?: number;
  readonly requestTimeout?: number;
}

/** Limit for the TLS handshake unless there is one for request heads (ms). */
const HANDSHAKE_MILLIS = 20_000;

/** Creates the server of a listener with TLS, with the same options and limits as without. */
export function secureServers(tls: ListenerTls): FastifyServerFactory {
  return (handler, options) => {
    const { http = {}, keepAliveTimeout, requestTimeout }: HandedOn = options;
    // Node offers only http/1.1 by ALPN here; HTTP/2 is not supported on purpose (docs/decisions/0044-no-http2.md).
    const server = createServer(
      {
        ...http,
        ...withoutUndefined({ keepAliveTimeout, requestTimeout }),
        handshakeTimeout: http.headersTimeout ?? HANDSHAKE_MILLIS,
        ...tls.context,
      },
      handler,
    );
    // A client without TLS, such as a browser with http:// on this port, could not read a response.
    server.removeAllListeners('tlsClientError').on('tlsClientError', (_error, socket) => {
      socket.destroy();
    });
    server.on('secureConnection', (socket) => {
      // The server has sent everything; a client that never closes its half would keep the connection open.
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
