import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Loggers } from '../../../observability/logging/loggers.js';
import { ManualClock } from '../../../../test/support/programs/manual-clock.js';
import { sendRaw } from '../../../../test/support/http/raw-http.js';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { waitUntil } from '../../../../test/support/runner/wait-until.js';
import { ConversionProblem } from '../../../config/problem.js';
import { type ListenerResponse, Listener } from '../listener.js';
import { AccessLog } from './access-log.js';
import { accessPattern } from './access-pattern.js';

const FINE: ListenerResponse = { status: 200, body: { status: 'UP' } };
const FINE_BYTES = JSON.stringify(FINE.body).length;

let clock: ManualClock;
let log: AccessLog;
let folder: string;
let listener: Listener;
let url: string;
/** Answers the requests for /slow so far. */
let release: () => void;
let slowRequests: number;

beforeEach(async () => {
  const pattern = accessPattern.parse('%h %p "%r" %s %b %D');
  if (pattern instanceof ConversionProblem) throw new TypeError(pattern.reason);
  clock = new ManualClock();
  folder = temporaryFolder('access-watch');
  log = new AccessLog({
    pattern,
    directory: folder,
    maxDays: -1,
    totalBytes: 0,
    clock,
    log: new Loggers([{ append: ({ message }) => expect.unreachable(message) }]).get('server'),
  });
  listener = new Listener({ accessLog: log, clock });
  let isReleased = new Promise<void>((resolve) => (release = resolve));
  slowRequests = 0;
  listener.routes.add('GET', '/fine', () => FINE);
  listener.routes.add('GET', '/slow', async () => {
    slowRequests += 1;
    await isReleased;
    isReleased = new Promise((resolve) => (release = resolve));
    return FINE;
  });
  listener.routes.add('GET', '/stream', () => ({ status: 200, body: Readable.from(['abc', 'defgh']) }));
  listener.routes.add('GET', '/endless', () => ({ status: 200, body: endless() }));
  listener.routes.add('GET', '/nothing', () => ({ status: 204, body: undefined }));
  const port = await listener.open({ port: 0, address: '127.0.0.1', key: '', addressKey: '' });
  url = `http://127.0.0.1:${port}`;
});

afterEach(() => listener.close(0));

/** The lines so far, without address and port, which all of them share. */
async function lines(count: number): Promise<readonly string[]> {
  const start = `127.0.0.1 ${new URL(url).port} `;
  const all = await waitUntil(`there are ${count} lines`, async () => {
    await log.open();
    const files = `access_log.${localDay(clock.millis())}.log`;
    const found = readFileSync(join(folder, files), 'latin1').split('\n').slice(0, -1);
    return found.length >= count ? found : undefined;
  });
  for (const line of all) expect(line.startsWith(start), line).toBe(true);
  return all.map((line) => line.slice(start.length));
}

function endless(): Readable {
  const body = new Readable({ read: () => undefined });
  body.push('the first of many');
  return body;
}

function localDay(millis: number): string {
  const at = new Date(millis);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

function requestTo(path: string, more = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
}

async function opened(): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const LAST = 'Connection: close\r\n';

describe('the logged size of a response body', () => {
  it.each([
    ['of known length is its length', 'GET', '/fine', `200 ${FINE_BYTES}`],
    ['that is streamed is its length', 'GET', '/stream', '200 8'],
    ['that does not exist is -', 'GET', '/nothing', '204 -'],
    ['of a response to HEAD is -', 'HEAD', '/fine', '200 -'],
  ])('the logged size of a body %s', async (_, method, path, expected) => {
    await (await fetch(url + path, { method })).text();

    expect(await lines(1)).toEqual([`"${method} ${path} HTTP/1.1" ${expected} 0`]);
  });
});

it('pipelined requests are logged in the order of their responses', async () => {
  const first = Array.from({ length: 5 }, (_, number) => requestTo(`/fine?${number}`)).join('');

  const { statuses } = await sendRaw(url, first + requestTo('/nowhere', LAST));

  expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
  expect(await lines(6)).toEqual([
    ...Array.from({ length: 5 }, () => `"GET /fine HTTP/1.1" 200 ${FINE_BYTES} 0`),
    expect.stringMatching(/^"GET \/nowhere HTTP\/1\.1" 404 \d+ 0$/),
  ]);
});

it('every request on a connection has exactly one line', async () => {
  for (let round = 0; round < 3; round += 1) await (await fetch(`${url}/fine`)).text();
  await listener.close(0);

  expect(await lines(3)).toHaveLength(3);
});

it('the line of a request contains its duration', async () => {
  const answer = fetch(`${url}/slow`);
  await waitUntil('the request has come', () => slowRequests === 1);
  clock.advance(1.5);
  release();
  await (await answer).text();

  expect(await lines(1)).toEqual([`"GET /slow HTTP/1.1" 200 ${FINE_BYTES} 1500`]);
});

describe('the line of a client that disconnects', () => {
  it('has status 499 if no response was sent, also for its pipelined requests', async () => {
    const socket = await opened();
    socket.write(requestTo('/slow') + requestTo('/fine'));
    await waitUntil('the request has come', () => slowRequests === 1);

    socket.destroy();

    expect(await lines(2)).toEqual(['"GET /slow HTTP/1.1" 499 - 0', '"GET /fine HTTP/1.1" 499 - 0']);
  });

  it('is not written again when the response is ready', async () => {
    const socket = await opened();
    socket.write(requestTo('/slow'));
    await waitUntil('the request has come', () => slowRequests === 1);
    socket.destroy();
    await lines(1);

    release();
    await (await fetch(`${url}/fine`)).text();

    expect(await lines(2)).toEqual(['"GET /slow HTTP/1.1" 499 - 0', `"GET /fine HTTP/1.1" 200 ${FINE_BYTES} 0`]);
  });

  it('has the status that was sent if the response had begun', async () => {
    const socket = await opened();
    socket.write(requestTo('/endless'));
    await once(socket, 'data');

    socket.destroy();

    expect(await lines(1)).toEqual(['"GET /endless HTTP/1.1" 200 - 0']);
  });

  it.each([
    ['by a reset has 499, because no response could be sent', '499 -', (socket: Socket) => socket.resetAndDestroy()],
    [
      'by ending the connection has the 400 of the response',
      expect.stringMatching(/^400 \d+$/) as string,
      (socket: Socket) => socket.end(),
    ],
  ])('the line of a client that leaves within its request body %s', async (_, expected, leave) => {
    const socket = await opened();
    socket.write('POST /fine HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
    await sendRaw(url, requestTo('/fine', LAST));

    leave(socket);

    const [, line = ''] = await lines(2);
    expect(/^"POST \/fine HTTP\/1\.1" (\d+ \S+) 0$/.exec(line)?.[1]).toEqual(expected);
  });

  it('is not written if the request head is incomplete', async () => {
    const silent = await opened();
    silent.destroy();
    const half = await opened();
    half.write('GET /half');
    half.resetAndDestroy();

    await (await fetch(`${url}/fine`)).text();

    expect(await lines(1)).toEqual([`"GET /fine HTTP/1.1" 200 ${FINE_BYTES} 0`]);
  });
});

describe('the line of bytes that are not a request', () => {
  it.each([
    ['nonsense', 'NONSENSE\r\n\r\n', 400],
    ['control characters in a path', 'GET /\u{1b}[2J HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a head above its limit', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('has - in place of the request for %s', async (_, sent, status) => {
    const { statuses, text } = await sendRaw(url, sent);

    expect(statuses).toEqual([status]);
    expect(await lines(1)).toEqual([`"-" ${status} ${text.split('\r\n\r\n')[1]?.length ?? 0} 0`]);
  });

  it('is written separately after a request with a response', async () => {
    const socket = await opened();
    socket.write(requestTo('/fine'));
    await once(socket, 'data');
    socket.end('NONSENSE\r\n\r\n');
    await once(socket, 'close');

    expect(await lines(2)).toEqual([
      `"GET /fine HTTP/1.1" 200 ${FINE_BYTES} 0`,
      expect.stringMatching(/^"-" 400 \d+ 0$/),
    ]);
  });

  it('follows the line of a request that still waits for its response', async () => {
    const socket = await opened();
    socket.write(`${requestTo('/slow')}NONSENSE\r\n\r\n`);
    await waitUntil('the request has come', () => slowRequests === 1);

    release();
    await once(socket.resume(), 'close');

    expect(await lines(2)).toEqual([
      `"GET /slow HTTP/1.1" 200 ${FINE_BYTES} 0`,
      expect.stringMatching(/^"-" 400 \d+ 0$/),
    ]);
  });

  it('is the line of the request if the bytes are its body', async () => {
    const head =
      'POST /fine HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

    const { statuses } = await sendRaw(url, `${head}no chunk\r\n`);

    expect(statuses).toEqual([400]);
    expect(await lines(1)).toEqual([expect.stringMatching(/^"POST \/fine HTTP\/1\.1" 400 \d+ 0$/)]);
  });
});

it('a path that cannot be decoded is logged without its query', async () => {
  await sendRaw(url, requestTo('/%zz?a=%ff', LAST));

  expect(await lines(1)).toEqual([expect.stringMatching(/^"GET \/%zz HTTP\/1\.1" 400 \d+ 0$/)]);
});
