import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EchoService, startEchoService } from '../support/echo-service.js';
import { held } from '../support/held.controller.js';
import { RawConnection } from '../support/raw-connection.js';
import { waitUntil } from '../support/wait-until.js';

const HOST = 'Host: x\r\n';
const HELD_GET = `GET /held HTTP/1.1\r\n${HOST}\r\n`;
const HELD_POST = `POST /held HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
const CHUNKED = `${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;

let service: EchoService;

beforeAll(async () => {
  service = await startEchoService();
});

afterEach(() => {
  held.releaseAll();
});

afterAll(() => service.stop());

/** Sends all bytes at once; `count` requests of them are in progress then. */
async function connectionWith(bytes: string | Buffer, count: number): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  connection.send(bytes);
  await waitUntil('the request that the test holds is in progress', () => held.count === count, { everyMillis: 2 });
  return connection;
}

/** Splits the responses as a client does, by their Content-Length. */
function answersIn(text: string): readonly { readonly status: number; readonly body: unknown }[] {
  const answers = [];
  for (let rest = text; rest !== '';) {
    const [head = ''] = rest.split('\r\n\r\n', 1);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? NaN);
    const end = head.length + 4 + length;
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? NaN);
    answers.push({ status, body: JSON.parse(rest.slice(head.length + 4, end)) as unknown });
    rest = rest.slice(end);
  }
  return answers;
}

const HELD = { status: 200, body: { held: true } };
const CREATED = { status: 201, body: { held: true } };
const REFUSED = { status: 400, body: expect.objectContaining({ code: 'VALIDATION_FAILED', status: 400 }) as object };

describe('H7: malformed bytes behind pipelined requests', () => {
  it.each([
    ['a request with a body', HELD_POST, [CREATED]],
    ['a request without a body', HELD_GET, [HELD]],
    ['several requests', HELD_GET + HELD_POST + HELD_GET, [HELD, CREATED, HELD]],
  ])('malformed bytes behind %s are rejected after the responses', async (_, requests, answers) => {
    const connection = await connectionWith(`${requests}\u0000garbage\r\n\r\n`, answers.length);

    expect(connection.text).toBe('');
    while (held.count > 0) held.release();
    await connection.untilClosed();

    expect(answersIn(connection.text)).toEqual([...answers, REFUSED]);
  });

  it.each([
    ['two different lengths', `GET /plain HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    ['an oversized head', `GET /plain HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a malformed chunk', `POST /note HTTP/1.1\r\n${CHUNKED}zz\r\n`],
    [
      'a malformed chunk of a request that is rejected anyway',
      `POST /nowhere HTTP/1.1\r\n${HOST}Content-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ])('a request with %s gets one response, after that of the request before it', async (_, bent) => {
    const connection = await connectionWith(HELD_POST + bent, 1);

    expect(connection.text).toBe('');
    held.release();
    await connection.untilClosed();

    const [first, ...others] = answersIn(connection.text);
    expect(first).toEqual(CREATED);
    expect(others).toHaveLength(1);
  });

  it('more malformed bytes before the response change nothing', async () => {
    const connection = await connectionWith(`${HELD_POST}\u0000garbage`, 1);
    for (let count = 0; count < 20; count += 1) connection.send(`\u0000${HELD_GET}`);
    await fetch(`${service.url}/plain`);

    expect([connection.text, held.count]).toEqual(['', 1]);
    held.release();
    await connection.untilClosed();

    expect(answersIn(connection.text)).toEqual([CREATED, REFUSED]);
  });

  it('no error follows a response that closes its connection', async () => {
    const last = `GET /held HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
    const connection = await connectionWith(`${last}\u0000garbage`, 1);

    held.release();
    await connection.untilClosed();

    expect(answersIn(connection.text)).toEqual([HELD]);
  });

  it('R8: a client that disconnects before its response leaves no request in progress', async () => {
    const connection = await connectionWith(`${HELD_POST}\u0000garbage`, 1);

    connection.leave();
    await waitUntil('the request is no longer tracked', () => service.listener.inProgress === 0, { everyMillis: 2 });
    held.release();

    expect((await fetch(`${service.url}/plain`)).status).toBe(200);
    expect(service.complaints).toEqual([]);
  });
});
