import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/support/programs/free-port.js';
import { waitUntil } from '../../../test/support/runner/wait-until.js';
import { exchange } from './exchange.js';

const server: { listening?: Server } = {};
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.listening?.close();
});

/** A server that never closes its end of a connection. */
async function stubborn(greet: (socket: Socket) => void): Promise<number> {
  const made = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    greet(socket);
  });
  server.listening = made;
  const port = await freePort();
  made.listen(port, '127.0.0.1');
  await waitUntil('the server listens', () => made.listening);
  return port;
}

function ask(port: number): Promise<string> {
  const isComplete = (answer: string): boolean => answer.includes('\n');
  return exchange(
    { host: '127.0.0.1', port, request: '', isComplete, farewell: 'bye\n' },
    new AbortController().signal,
  );
}

/** Number of connections of this process, with the ends of the server. */
function connections(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

describe('an exchange with a server', () => {
  it('closes its connection after the response even if the server does not', async () => {
    const before = connections();
    const port = await stubborn((socket) => socket.write('hello\n'));

    expect(await ask(port)).toBe('hello\n');

    await waitUntil('one end is left', () => connections() === before + 1);
  });

  it('disconnects from a server that never stops sending', async () => {
    const port = await stubborn((socket) => {
      socket.write('hello\n');
      const pour = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'more'))) continue;
      };
      socket.on('drain', pour);
      pour();
    });

    expect(await ask(port)).toMatch(/^hello\n/);

    await waitUntil('the server is cut off', () => sockets.every(({ destroyed }) => destroyed));
  });
});
