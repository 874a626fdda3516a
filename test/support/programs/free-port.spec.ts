import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './free-port.js';

it('a server can listen on a free port', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1');

  await expect(once(server, 'listening')).resolves.toEqual([]);
  server.close();
});

it('ports are drawn once, below those that the system gives to other sockets', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, freePort));

  expect(new Set(ports).size).toBe(200);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
