import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that Linux gives to other sockets by default (ip(7), `ip_local_port_range`). */
const FIRST_PORT = 20_000;
/** Workers draw from shares of their own, so that two never draw the same port at the same time. */
const PORTS_OF_WORKER = 1000;
const SHARES = 12;

const share = Number(process.env['VITEST_POOL_ID'] ?? 0) % SHARES;
/** Draws of this worker; the start differs for other runs on this machine. */
let draws = randomInt(PORTS_OF_WORKER);

/**
 * A TCP port of the loopback address that is free at this moment. It stays free until a server starts there, and while it
 * is stopped: the system does not give it to other sockets, and this worker draws it again after all others of its share.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + share * PORTS_OF_WORKER + (draws % PORTS_OF_WORKER);
    draws += 1;
    if (await isFree(port)) return port;
  }
}

/** Starts a server of a test at `port`, or at a free one if it is 0, and returns the port. */
export async function listenAt(port: number, server: Server): Promise<number> {
  const chosen = port === 0 ? await freePort() : port;
  server.listen(chosen, '127.0.0.1');
  await once(server, 'listening');
  return chosen;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = new Promise<boolean>((resolve) => {
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      resolve(true);
    });
  });
  if (!(await isListening)) return false;
  server.close();
  await once(server, 'close');
  return true;
}
