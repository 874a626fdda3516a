import { once } from 'node:events';
import { connect } from 'node:net';

/** Raw responses. */
export interface RawAnswer {
  /** Every status line in order. */
  readonly statuses: readonly number[];
  readonly text: string;
}

/**
 * Sends raw bytes, which client libraries would reject, and reads until the service closes the connection; a valid
 * request should have `Connection: close`.
 */
export async function sendRaw(url: string, ...chunks: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // A reset appears as a missing response.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const chunk of chunks) socket.write(chunk);
  await closed;
  const text = Buffer.concat(received).toString('latin1');
  return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)), text };
}
