import { once } from 'node:events';
import { connect } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  /** Every status line in order. */
  readonly statuses: readonly number[];
  readonly text: string;
}

/**
 * Sends bytes as they are, which no client library would, and reads until the service closes; a request that keeps its
 * connection should ask for `Connection: close`.
 */
export async function sendRaw(url: string, ...chunks: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // A reset shows as an answer that is missing.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const chunk of chunks) socket.write(chunk);
  await closed;
  const text = Buffer.concat(received).toString('latin1');
  return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)), text };
}
