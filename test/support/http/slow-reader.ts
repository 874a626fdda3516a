import type { Socket } from 'node:net';
import { waitUntil } from '../runner/wait-until.js';

const RESPONSE = 'HTTP/1.1 200 ';
/** As much as a client reads before the next round trip; over TLS, a chunk may be much smaller. */
const READ_BYTES = 262_144;
/** Round trips of another client in which a service fills every buffer between it and a client that does not read. */
const STALL_ROUNDS = 20;

/**
 * Sends pipelined requests at once and reads nothing at first, then a part after each round trip of another client.
 * Returns the number of responses with status 200, which is lower if the service closes the connection.
 */
export async function countSlowly(
  socket: Socket,
  requests: string,
  count: number,
  roundTrip: () => Promise<unknown>,
): Promise<number> {
  let [answered, rest, isClosed, unread] = [0, '', false, READ_BYTES];
  socket.pause();
  socket.on('error', () => undefined).once('close', () => (isClosed = true));
  socket.on('data', (chunk: Buffer) => {
    unread -= chunk.length;
    if (unread <= 0) socket.pause();
    const text = rest + chunk.toString('latin1');
    answered += text.split(RESPONSE).length - 1;
    rest = text.slice(1 - RESPONSE.length);
  });
  socket.write(requests);
  await waitUntil('the first bytes have arrived', () => isClosed || socket.bytesRead > 0);
  for (let round = 0; round < STALL_ROUNDS; round += 1) await roundTrip();
  await waitUntil(
    'all responses have arrived',
    async () => {
      unread = READ_BYTES;
      socket.resume();
      await roundTrip();
      return isClosed || answered === count;
    },
    { everyMillis: 0 },
  );
  socket.destroy();
  return answered;
}
