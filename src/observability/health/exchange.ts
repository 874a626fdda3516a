import { connect, isIP } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

/** Maximum length of a response, far above that of the servers that are checked. */
const MAX_RESPONSE_LENGTH = 64 * 1024;

export interface Exchange {
  readonly host: string;
  readonly port: number;
  /** Sent once the connection is open; empty for a server that speaks first. */
  readonly request: string;
  /** Returns true once the response is complete. */
  readonly isComplete: (response: string) => boolean;
  /** Sent before the connection is closed. */
  readonly farewell: string;
  /** Options of TLS for a server that expects it from the first byte. */
  readonly tls?: ConnectionOptions | undefined;
}

/** Sends one request to a server of a text protocol, over a connection of its own. */
export function exchange(
  { host, port, request, isComplete, farewell, tls }: Exchange,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const servername = isIP(host) === 0 ? host : '';
    const socket = tls ? connectTls({ host, port, servername, ...tls }) : connect({ host, port });
    addAbortSignal(signal, socket);
    socket.setEncoding('latin1');
    socket.once(tls ? 'secureConnect' : 'connect', () => socket.write(request));
    socket.on('data', (text: string) => {
      response += text;
      if (isComplete(response)) {
        resolve(response);
        socket.removeAllListeners('data');
        // Closes the socket even if the server does not.
        socket.end(farewell, () => socket.destroy());
      } else if (response.length > MAX_RESPONSE_LENGTH) {
        socket.destroy(new Error('the response does not end'));
      }
    });
    // After the response, both have no effect: the promise is settled.
    socket.on('error', reject);
    socket.once('close', () => {
      reject(new Error('the connection was closed before the response'));
    });
  });
}
