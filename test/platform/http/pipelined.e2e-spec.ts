import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { held } from '../../support/http/held.controller.js';
import { needs } from '../../support/runner/needs.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { handshake } from '../../support/http/secure-client.js';
import { countSlowly } from '../../support/http/slow-reader.js';
import { waitUntil } from '../../support/runner/wait-until.js';

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
    expect(service.log.texts).toEqual([]);
  });
});

describe('X3: requests that run ahead of unsent responses', () => {
  /** The requests that a connection may have in progress, with those that arrive in one piece with the last of them. */
  const FEW = 6;
  const MANY = 400;

  /** The requests in progress on each connection, on average, before any of many has its response; then all get theirs. */
  async function inProgressOfMany({ listener }: EchoService, connections: readonly RawConnection[]): Promise<number> {
    for (const connection of connections) connection.send(HELD_GET.repeat(MANY));
    await waitUntil('every connection has requests in progress', () => held.count >= 3 * connections.length);
    // Later requests of another connection show that what has arrived was processed.
    for (let round = 0; round < 3; round += 1) await fetch(`${service.url}/plain`);
    const { inProgress } = listener;
    const releasing = setInterval(() => {
      held.releaseAll();
    }, 1);
    await Promise.all(connections.map((connection) => connection.untilAnswered(MANY)));
    clearInterval(releasing);
    for (const connection of connections) connection.leave();
    return inProgress / connections.length;
  }

  const BIG = `GET /held/big HTTP/1.1\r\n${HOST}\r\n`;
  const SHORT = `GET /plain HTTP/1.1\r\n${HOST}\r\n`;
  const BODY = JSON.stringify('x'.repeat(40_000));
  const POSTED = `POST /any HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
  const MIXES: readonly (readonly [what: string, requests: string, responses: number])[] = [
    ['big responses', BIG.repeat(30), 30],
    ['bodies', POSTED.repeat(300), 300],
    ['big and short responses', (BIG + SHORT.repeat(40)).repeat(30), 30 * 41],
    ['bodies and big responses', (POSTED + BIG + POSTED).repeat(30), 90],
  ];

  /** The number of responses, and the highest number of requests in progress after the round trips of another client. */
  async function readingSlowly(socket: Socket, { listener }: EchoService, requests: string, responses: number) {
    let most = 0;
    const answered = await countSlowly(socket, requests, responses, async () => {
      await fetch(`${service.url}/plain`);
      most = Math.max(most, listener.inProgress);
    });
    return { answered, most };
  }

  it.each(MIXES)(
    'X3: a client that reads slowly has a few %s in progress, and gets all responses',
    async (_, requests, responses) => {
      const socket = connect(service.port, '127.0.0.1');
      await once(socket, 'connect');

      const { answered, most } = await readingSlowly(socket, service, requests, responses);

      expect(answered).toBe(responses);
      expect(most).toBeLessThanOrEqual(FEW);
    },
  );

  it('X3: a connection has a few of many pipelined requests in progress, and all get their response', async () => {
    const connections = await Promise.all([1, 2, 3].map(() => RawConnection.open(service.url)));

    expect(await inProgressOfMany(service, connections)).toBeLessThanOrEqual(FEW);
  });

  needs('openssl')('over TLS', () => {
    let secure: EchoService;
    let ca: string;

    beforeAll(async () => {
      const { pem, key } = makeCertificate();
      ca = pem;
      secure = await startEchoService({
        tls: { context: { cert: pem, key: readFileSync(key) }, onUpdate: () => () => undefined },
      });
      return () => secure.stop();
    });

    it('X3: a connection with TLS has a few of many pipelined requests in progress', async () => {
      const connection = RawConnection.on(await handshake(secure.url, { ca }));

      expect(await inProgressOfMany(secure, [connection])).toBeLessThanOrEqual(FEW);
    });

    it.each(MIXES)(
      'X3: a client that reads slowly over TLS has a few %s in progress, and gets all responses',
      async (_, requests, responses) => {
        const socket = await handshake(secure.url, { ca });

        const { answered, most } = await readingSlowly(socket, secure, requests, responses);

        expect(answered).toBe(responses);
        expect(most).toBeLessThanOrEqual(FEW);
      },
    );
  });

  it('X3: a client that does not read its responses causes a few of them only', async () => {
    const before = held.bigAnswers;
    const connection = await RawConnection.open(service.url);
    connection.stopReading();
    connection.send(BIG.repeat(MANY));
    await waitUntil('a response is ready', () => held.bigAnswers > before);
    await waitUntil('the connection takes no more', async () => {
      const count = held.bigAnswers;
      for (let round = 0; round < 5; round += 1) await fetch(`${service.url}/plain`);
      return held.bigAnswers === count;
    });

    expect(service.listener.inProgress).toBeLessThanOrEqual(FEW);
    // The buffers of the operating system hold some more of them.
    expect(held.bigAnswers - before).toBeLessThan(40);
    connection.leave();
    await waitUntil('the request is no longer tracked', () => service.listener.inProgress === 0);
  });

  it('X3: a body behind pipelined requests is read while they are in progress', async () => {
    const connection = await RawConnection.open(service.url);
    connection.send(HELD_GET.repeat(3) + POSTED + HELD_GET.repeat(3));
    await waitUntil('the body has arrived', () => service.listener.inProgress > 3 && held.count >= 3);

    const releasing = setInterval(() => {
      held.releaseAll();
    }, 1);
    await connection.untilAnswered(7);
    clearInterval(releasing);

    expect(connection.statuses).toEqual([200, 200, 200, 200, 200, 200, 200]);
    connection.leave();
  });

  it('X3: bytes behind CONNECT are not read as requests', async () => {
    const connection = await RawConnection.open(service.url);
    connection.send(`CONNECT x:1 HTTP/1.1\r\n${HOST}\r\n${SHORT.repeat(20)}`);
    await connection.untilClosed();

    expect(connection.statuses).toEqual([405]);
  });
});
