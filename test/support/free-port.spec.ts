import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './free-port.js';

it('a server can listen on a free port', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1');

  await expect(once(server, 'listening')).resolves.toEqual([]);
  server.close();
});
