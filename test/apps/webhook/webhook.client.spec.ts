import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { outboundHttp } from '../../support/http/outbound.js';
import { Duration } from '../../../src/config/bind/duration.js';
import { WebhookClient } from '../../../src/apps/webhook/sender/webhook.client.js';
import type { LogoutTokens } from '../../../src/signin/oidc/logout/logout-tokens.service.js';
import { WebhookProperties } from '../../../src/apps/webhook/webhook.properties.js';
import { SystemClock } from '../../../src/kernel/clock/clock.js';

const http = outboundHttp();
/** Timeout for receivers that do not respond; the others have time on a busy machine, too. */
const SHORT_MILLIS = 300;
const LONG_MILLIS = 10_000;
/** A hundred megabytes when it is decompressed. */
const BOMB = gzipSync(Buffer.alloc(100_000_000));
const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

/** The client of a receiver that answers each request by raw bytes. */
async function clientOf(answer: (socket: Socket) => void, millis: number): Promise<WebhookClient> {
  const server = createServer((socket) => {
    ended.push(() => socket.destroy());
    socket
      .on('error', () => undefined)
      .once('data', () => {
        answer(socket);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ended.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const keys = { url: `http://127.0.0.1:${port}/`, timeout: Duration.ofMillis(millis) };
  return new WebhookClient(http, Object.assign(new WebhookProperties(), keys), new SystemClock(), {} as LogoutTokens);
}

/** Writes `text` as long as the connection is open. */
function endless(socket: Socket, text: string): void {
  const write = (): void => {
    if (!socket.destroyed && socket.write(text)) setImmediate(write);
  };
  socket.on('drain', write);
  write();
}

const send = async (answer: (socket: Socket) => void, millis: number): ReturnType<WebhookClient['send']> =>
  (await clientOf(answer, millis)).send(
    { id: 'a', kind: 'MFA_OK', queue: 'a', target: '', body: '{}' },
    new AbortController().signal,
  );

it.each<[string, (socket: Socket) => void, string]>([
  [
    'a header without an end',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      endless(socket, `x: ${'x'.repeat(500)}\r\n`);
    },
    'UND_ERR_HEADERS_OVERFLOW',
  ],
  [
    'informational responses without an end',
    (socket) => {
      endless(socket, 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n');
    },
    'timeout',
  ],
  ['silence', () => undefined, 'timeout'],
  ['bytes that are not HTTP', (socket) => socket.end('\0\0\0'), 'HTTPParserError'],
  [
    'another protocol',
    (socket) => socket.end('HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    'UND_ERR_SOCKET',
  ],
  [
    'a redirect to an internal address',
    (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n'),
    '302',
  ],
  [
    'a redirect to a file',
    (socket) => socket.end('HTTP/1.1 308 Moved\r\nlocation: file:///etc/passwd\r\ncontent-length: 0\r\n\r\n'),
    '308',
  ],
])('a receiver that responds with %s fails the attempt', async (_, answer, failure) => {
  const millis = failure === 'timeout' ? SHORT_MILLIS : LONG_MILLIS;

  expect(await send(answer, millis)).toEqual({ outcome: 'failed', failure });
});

it.each<[string, number, (socket: Socket) => void]>([
  [
    'never ends',
    5000,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n.');
    },
  ],
  [
    'is a hundred megabytes when it is decompressed',
    LONG_MILLIS,
    (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
      socket.write(BOMB);
    },
  ],
])('an event is accepted by its status although the body %s', async (_, millis, answer) => {
  expect(await send(answer, millis)).toEqual({ outcome: 'accepted' });
});
