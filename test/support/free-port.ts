import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A TCP port of the loopback address that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Below the ports that Linux gives to outgoing connections by default (ip(7), `ip_local_port_range`). */
const KEPT_PORTS = [20_000, 32_000] as const;

/** A free port that stays free while its server is stopped, since the system does not choose it for other sockets. */
export async function keptPort(): Promise<number> {
  for (;;) {
    const port = randomInt(...KEPT_PORTS);
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
