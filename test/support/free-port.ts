import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to outgoing connections by default (ip(7), `ip_local_port_range`). */
const PORTS = [20_000, 32_000] as const;

/**
 * A TCP port of the loopback address that is free at this moment. It stays free until a server starts there, and while it
 * is stopped, since the system does not choose it for other sockets.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    if (await isFree(port)) return port;
  }
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
