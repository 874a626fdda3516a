import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Duration } from '../../../src/config/bind/duration.js';
import { EmbeddedProperties, ThreadsProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { LINGER_MILLIS } from '../../../src/platform/http/body/unread-body.js';
import type { HostOptions } from '../../../src/platform/http/host-options.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { held } from '../../support/http/held.controller.js';
import { HttpClient } from '../../support/http/http-client.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const TIMEOUT_MILLIS = 700;
/** Leaves time to open hundreds of connections. */
const CROWD_TIMEOUT_MILLIS = 5000;
/** The timeout and its tolerance of one second, with a margin for a busy machine. */
const SOON = 10_000;

const HALF_HEAD = 'POST /note HTTP/1.1\r\nHost: x\r\nContent-Ty';
const HEAD = 'POST /note HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n';
const HALF_BODY = `${HEAD}{"tex`;

let service: EchoService;

function limited(millis: number, keepAliveMillis = millis): EmbeddedProperties {
  return Object.assign(new EmbeddedProperties(), {
    connectionTimeout: Duration.ofMillis(millis),
    keepAliveTimeout: Duration.ofMillis(keepAliveMillis),
    acceptCount: 0,
  });
}

function start(options: HostOptions = {}): Promise<EchoService> {
  const embedded = limited(TIMEOUT_MILLIS);
  // Fewer slots than slow clients.
  const threads = Object.assign(new ThreadsProperties(), { max: 4 });
  return startEchoService({ embedded, threads, ...options });
}

beforeAll(async () => {
  service = await start();
});

afterAll(() => service.stop());

/** The shortest time of a round; of a second one, if the first one exceeds the limit because the machine stalls. */
async function quickest(limit: number, round: () => Promise<readonly { readonly millis: number }[]>): Promise<number> {
  const shortest = async (): Promise<number> => Math.min(...(await round()).map(({ millis }) => millis));
  const first = await shortest();
  return first < limit ? first : shortest();
}

/** Milliseconds from the first byte until the service ends the connection. */
async function timeUntilClosed(
  bytes: string,
  { url } = service,
): Promise<{ readonly millis: number; readonly connection: RawConnection }> {
  const connection = await RawConnection.open(url);
  const since = performance.now();
  if (bytes !== '') connection.send(bytes);
  await connection.untilClosed(SOON);
  return { millis: performance.now() - since, connection };
}

describe('R7: server.embedded.connection-timeout and keep-alive-timeout', () => {
  it.each([
    ['nothing at all', '', [408]],
    ['half a head', HALF_HEAD, [408]],
    ['half a body', HALF_BODY, [408]],
    ['a head and no body', HEAD, [408]],
    ['half a chunk', HEAD.replace('Content-Length: 12', 'Transfer-Encoding: chunked') + '5\r\n{"t', [408]],
    ['a whole request and nothing more', 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\n', [200]],
    ['a whole request and half the next', 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\nGET /pl', [200, 408]],
  ])('a client that sends %s is disconnected at the timeout, not before', async (_, bytes, statuses) => {
    const { millis, connection } = await timeUntilClosed(bytes);

    expect(connection.statuses).toEqual(statuses);
    expect(millis).toBeGreaterThan(TIMEOUT_MILLIS - 50);
  });

  it('the quickest of five slow clients, or of five others, is disconnected within a second of the timeout', async () => {
    for (const bytes of ['', HALF_HEAD, HALF_BODY, 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\n']) {
      const round = () => Promise.all([1, 2, 3, 4, 5].map(() => timeUntilClosed(bytes)));

      expect(await quickest(TIMEOUT_MILLIS + 1000, round), bytes).toBeLessThan(TIMEOUT_MILLIS + 1000);
    }
  });

  it('a 408 response is a problem document with Connection: close', async () => {
    for (const bytes of [HALF_HEAD, HALF_BODY]) {
      const { connection } = await timeUntilClosed(bytes);

      expect(connection.text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r$/m);
      expect(connection.text).toMatch(/^connection: close\r$/im);
      expect(connection.text).toMatch(/^x-request-id: \S+\r$/im);
      expect(connection.text).toMatch(/^content-type: application\/problem\+json\r$/im);
      expect(connection.text).toContain('"status":408,');
      expect(connection.text).toContain('"code":"VALIDATION_FAILED"');
    }
  });

  it('a body sent byte by byte does not extend the timeout', async () => {
    const connection = await RawConnection.open(service.url);
    const since = performance.now();
    connection.send(HALF_BODY);
    const dribble = setInterval(() => {
      connection.send(' ');
    }, TIMEOUT_MILLIS / 3);

    await connection.untilClosed(SOON);
    clearInterval(dribble);

    expect(performance.now() - since).toBeGreaterThan(TIMEOUT_MILLIS - 50);
    expect(connection.statuses[0]).toBe(408);
  });

  it('the rest of a body that arrives after the timeout is not read, even if it is malformed', async () => {
    const before = service.log.texts.length;
    const connection = await RawConnection.open(service.url);
    connection.send(HALF_BODY);
    const rest = setTimeout(() => {
      connection.send('t":xxx}');
    }, TIMEOUT_MILLIS + 200);

    await connection.untilClosed(SOON);
    clearTimeout(rest);

    expect(connection.statuses).toEqual([408]);
    expect(service.log.texts.slice(before)).toEqual([]);
  });

  it.each([
    ['an unexpected body', 'GET /plain HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n', ' '],
    [
      'a chunked body for a route without one',
      'GET /plain HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
    ],
    ['a series of line ends behind a request', 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\n', '\r\n'],
  ])('%s does not keep a connection open', async (_, bytes, piece) => {
    const connection = await RawConnection.open(service.url);
    connection.send(bytes);
    await connection.untilAnswered();
    const dribble = setInterval(() => {
      connection.send(piece);
    }, TIMEOUT_MILLIS / 5);

    await connection.untilClosed(SOON);
    clearInterval(dribble);

    expect(connection.statuses[0]).toBe(200);
  });

  it('a long response is sent once when the request body misses the timeout', async () => {
    const before = service.log.texts.length;
    const connection = await RawConnection.open(service.url);
    connection.get('/held/big', 'Content-Length: 1000\r\n');

    await connection.untilClosed(SOON);

    expect(connection.statuses).toEqual([200]);
    expect(connection.text.endsWith('"}')).toBe(true);
    expect(service.log.texts.slice(before)).toEqual([]);
  });

  it('a client that does not read its responses is disconnected', async () => {
    const connection = await RawConnection.open(service.url);
    connection.stopReading();
    const before = held.bigAnswers;
    for (let count = 0; count < 40; count += 1) connection.get('/held/big');
    await waitUntil('responses have arrived', () => held.bigAnswers > before);

    await waitUntil('the request has ended', () => service.listener.inProgress === 0);

    connection.read();
    await connection.untilClosed();
    expect(connection.statuses.length).toBeLessThan(40);
  });

  it('other clients are served while 150 send half heads and 150 half bodies', async () => {
    const crowded = await start({ embedded: limited(CROWD_TIMEOUT_MILLIS) });
    try {
      const slow = await Promise.all(
        Array.from({ length: 300 }, async (_, index) => {
          const connection = await RawConnection.open(crowded.url);
          connection.send(index % 2 === 0 ? HALF_HEAD : HALF_BODY);
          return connection;
        }),
      );

      const client = new HttpClient(crowded.url);
      const meanwhile: number[] = [];
      const until = performance.now() + SOON;
      while (performance.now() < until) {
        const { status } = await client.post('/note', { text: 'a' });
        if (slow.some(({ isClosed }) => isClosed)) break;
        meanwhile.push(status);
      }
      for (const connection of slow) await connection.untilClosed(SOON);

      expect(meanwhile.length).toBeGreaterThan(10);
      expect(new Set(meanwhile)).toEqual(new Set([200]));
      for (const { statuses } of slow) expect(statuses).toEqual([408]);
    } finally {
      await crowded.stop();
    }
  });

  it('C8: an idle connection is served again after connection-timeout, until keep-alive-timeout is over', async () => {
    const patient = await start({ embedded: limited(TIMEOUT_MILLIS, 60_000) });
    try {
      const idle = await RawConnection.open(patient.url);
      idle.get('/plain');
      await idle.untilAnswered();
      // The end of this client shows that the timeout is over, twice.
      for (let count = 0; count < 2; count += 1) await timeUntilClosed(HALF_HEAD, patient);

      idle.get('/plain');
      await waitUntil('the second response has arrived', () => idle.statuses.length === 2);

      expect(idle.statuses).toEqual([200, 200]);
      idle.leave();
    } finally {
      await patient.stop();
    }
  });

  it('an error waits at most once for the body of its request', async () => {
    const patient = await start({ embedded: new EmbeddedProperties() });
    try {
      const bytes = HALF_BODY.replace('/note', '/nowhere');
      const round = async () => {
        const times = await Promise.all([1, 2, 3].map(() => timeUntilClosed(bytes, patient)));
        for (const { connection } of times) expect(connection.statuses).toEqual([404]);
        return times;
      };

      expect(await quickest(1.75 * LINGER_MILLIS, round)).toBeLessThan(1.75 * LINGER_MILLIS);
    } finally {
      await patient.stop();
    }
  });

  it('a slow client within the limit is served', async () => {
    const connection = await RawConnection.open(service.url);
    connection.send(HEAD);
    connection.send('{"text":');
    await sendRaw(service.url, 'GET /plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    connection.send('"a"}');
    await connection.untilAnswered();

    expect(connection.statuses).toEqual([200]);
    connection.leave();
  });
});
