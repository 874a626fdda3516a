import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ThreadsProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { held } from '../../support/http/held.controller.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const JSON_TYPE = 'Content-Type: application/json\r\n';
const HELD = 'GET /held HTTP/1.1\r\nHost: x\r\n\r\n';
const MOST = 2;

let service: EchoService;

beforeEach(async () => {
  service = await startEchoService({ threads: Object.assign(new ThreadsProperties(), { max: MOST }) });
});

afterEach(async () => {
  held.releaseAll();
  await service.stop();
});

async function untilHeld(count: number): Promise<void> {
  await waitUntil(`${count} requests are held`, () => held.count === count, { everyMillis: 2 });
}

/** The value of the header in each response. */
function headers(text: string, name: string): readonly (string | undefined)[] {
  return [...text.matchAll(/HTTP\/1\.1 \d{3} .*?\r\n\r\n/gs)].map(
    ([head]) => new RegExp(String.raw`^${name}: (.*)\r$`, 'im').exec(head)?.[1],
  );
}

describe.each([
  ['a success', 'GET /plain', ''],
  ['an error response', 'GET /nowhere', ''],
  ['the rejection of a body', 'POST /note', `${JSON_TYPE}Content-Length: 1\r\n`],
])('Connection header of %s (RFC 9112 section 9.3)', (response, line, more) => {
  const body = more === '' ? '' : '{';

  it(`${response} has Connection: close if the client sends it`, async () => {
    const { text } = await sendRaw(
      service.url,
      `${line} HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n${body}`,
    );

    expect(headers(text, 'connection')).toEqual(['close']);
  });

  it(`${response} has Connection: close if the client asks for an upgrade`, async () => {
    const upgrade = 'Connection: upgrade\r\nUpgrade: websocket\r\n';
    const { text } = await sendRaw(service.url, `${line} HTTP/1.1\r\nHost: x\r\n${more}${upgrade}\r\n${body}`);

    expect(headers(text, 'connection')).toEqual(['close']);
  });

  it(`${response} has Connection: keep-alive if an HTTP/1.0 client sends it`, async () => {
    const { text } = await sendRaw(
      service.url,
      `${line} HTTP/1.0\r\n${more}Connection: keep-alive\r\n\r\n${body}`,
      'GET /plain HTTP/1.0\r\n\r\n',
    );

    expect(headers(text, 'connection')).toEqual(['keep-alive', 'close']);
  });
});

describe('R8: draining listener', () => {
  it('R8: a draining listener completes all requests in progress on a connection and closes it after the last', async () => {
    const connection = await RawConnection.open(service.url);
    connection.send(HELD + HELD);
    await untilHeld(2);

    service.listener.drain();
    held.releaseAll();
    await connection.untilClosed();

    expect(connection.statuses).toEqual([200, 200]);
    expect(headers(connection.text, 'connection')).toEqual(['keep-alive', 'close']);
  });

  it('R8: a draining listener serves requests that arrive before the response with Connection: close', async () => {
    const connection = await RawConnection.open(service.url);
    connection.send(`${HELD}GET /plain HTTP/1.1\r\nHost: x\r\n\r\n`);
    await untilHeld(1);
    await waitUntil('both requests are in progress', () => service.listener.inProgress === 2, { everyMillis: 2 });

    service.listener.drain();
    connection.get('/plain');
    await waitUntil('the third request is in progress', () => service.listener.inProgress === 3, { everyMillis: 2 });
    held.releaseAll();
    await connection.untilClosed();

    expect(connection.statuses).toEqual([200, 200, 200]);
    expect(headers(connection.text, 'connection')).toEqual(['keep-alive', 'keep-alive', 'close']);
  });

  it('R8: a draining listener processes only the first of several pipelined requests on a new connection', async () => {
    service.listener.drain();
    const connection = await RawConnection.open(service.url);
    connection.send(HELD + HELD + HELD);
    await waitUntil('all requests are in progress', () => service.listener.inProgress === 3, { everyMillis: 2 });

    expect(held.count).toBe(1);
    held.releaseAll();
    await connection.untilClosed();

    expect(connection.statuses).toEqual([200]);
    expect(held.count).toBe(0);
  });
});

it('H7: a request behind a response with Connection: close is not processed (RFC 9112 section 9.6)', async () => {
  const connection = await RawConnection.open(service.url);
  connection.send(`GET /held HTTP/1.1\r\nHost: x\r\n\r\nGET /plain HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n`);
  await untilHeld(1);
  connection.send(`hello${HELD}`);
  await waitUntil('all requests are in progress', () => service.listener.inProgress === 3, { everyMillis: 2 });

  expect(held.count).toBe(1);
  held.releaseAll();
  await connection.untilClosed();

  expect(connection.statuses).toEqual([200, 200]);
  expect(held.count).toBe(0);
});

it('a long response is complete although the request body is not read', async () => {
  const size = 1_000_000;
  const head = `GET /held/big HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`;

  const { statuses, text } = await sendRaw(service.url, head, Buffer.alloc(size));

  expect(statuses).toEqual([200]);
  expect(text.endsWith('"}')).toBe(true);
});

it('a response waits for the rest of a body that no handler reads, since closing earlier would reset the connection', async () => {
  const connection = await RawConnection.open(service.url);
  connection.send('GET /plain HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe');
  await waitUntil('the request is in progress', () => service.listener.inProgress === 1, { everyMillis: 2 });
  expect(await sendRaw(service.url, 'GET /plain HTTP/1.0\r\n\r\n')).toMatchObject({ statuses: [200] });
  expect(connection.statuses).toEqual([]);

  connection.send('llo');
  await connection.untilClosed();

  expect(connection.statuses).toEqual([200]);
});

describe('H7: HTTP/1.0 client', () => {
  it('H7: an HTTP/1.0 client gets no 100 Continue (RFC 9110 section 10.1.1)', async () => {
    const head = `POST /any HTTP/1.0\r\n${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`;

    expect((await sendRaw(service.url, `${head}{}`)).statuses).toEqual([200]);
  });
});

it.each([
  ['chunks in HTTP/1.0', '1.0', 'Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n'],
  ['an unknown transfer coding', '1.1', 'Transfer-Encoding: gzip, chunked\r\n'],
])('H7: a body with ambiguous framing gets 400 and Connection: close: %s', async (_, version, framing) => {
  const { statuses, text } = await sendRaw(
    service.url,
    `POST /any HTTP/${version}\r\nHost: x\r\n${JSON_TYPE}${framing}\r\n2\r\n{}\r\n0\r\n\r\nGET /plain HTTP/1.0\r\n\r\n`,
  );

  expect(statuses).toEqual([400]);
  expect(headers(text, 'connection')).toEqual(['close']);
  expect(text).toContain('"code":"VALIDATION_FAILED"');
});
