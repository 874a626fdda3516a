import { connect } from 'node:net';

/** Far above the longest response of the servers that are checked. */
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
}

/** Sends one request to a server of a text protocol, over a connection of its own. */
export function exchange(
  { host, port, request, isComplete, farewell }: Exchange,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect({ host, port, signal });
    socket.setEncoding('latin1');
    socket.once('connect', () => socket.write(request));
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
    // After the response, both are without effect: the promise is settled.
    socket.on('error', reject);
    socket.once('close', () => {
      reject(new Error('the connection was closed before the response'));
    });
  });
}
