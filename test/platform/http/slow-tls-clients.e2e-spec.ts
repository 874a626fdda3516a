import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { Duration } from '../../../src/config/bind/duration.js';
import { EmbeddedProperties, ThreadsProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { makeCertificate, type MadeCertificate } from '../../support/http/certificates.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { needs } from '../../support/runner/needs.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { clientHello, handshake, JSON_BODY, overHttp1 } from '../../support/http/secure-client.js';

const TIMEOUT_MILLIS = 1000;
/** No slow client is disconnected by it during the test, however busy the machine is. */
const CROWD_TIMEOUT_MILLIS = 600_000;
/** Limit far above the timeout, because a busy machine is slow. */
const SOON = 30_000;
const SLOW = 150;
/** Requests of other clients beside them. */
const SERVED = 20;

const HALF_HEAD = 'POST /note HTTP/1.1\r\nHost: x\r\nContent-Ty';
const HALF_BODY = 'POST /note HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"tex';
let made: MadeCertificate;
let service: EchoService;

async function start(timeoutMillis: number): Promise<() => Promise<void>> {
  made = makeCertificate();
  const timeout = Duration.ofMillis(timeoutMillis);
  const embedded = Object.assign(new EmbeddedProperties(), {
    connectionTimeout: timeout,
    keepAliveTimeout: timeout,
    acceptCount: 0,
  });
  // Fewer slots than slow clients.
  const threads = Object.assign(new ThreadsProperties(), { max: 4 });
  const context = { cert: made.pem, key: readFileSync(made.key) };
  service = await startEchoService({
    embedded,
    threads,
    tls: { context, onUpdate: () => () => undefined },
  });
  return () => service.stop();
}

/** A connection with TLS, and bytes on it. */
async function over(bytes: string | Buffer): Promise<RawConnection> {
  const connection = RawConnection.on(await handshake(service.url, { ca: made.pem }));
  connection.send(bytes);
  return connection;
}

/** A connection without TLS, or with half of it. */
async function below(bytes: Buffer): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  connection.send(bytes);
  return connection;
}

function times<T>(count: number, make: () => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, make));
}

async function timeUntilClosed(open: () => Promise<RawConnection>): Promise<[number, RawConnection]> {
  const since = performance.now();
  const connection = await open();
  await connection.untilClosed(SOON);
  return [performance.now() - since, connection];
}

needs('openssl')('R7: server.embedded.connection-timeout with TLS', () => {
  beforeAll(() => start(TIMEOUT_MILLIS));

  it.concurrent.each<[string, () => Promise<RawConnection>, readonly number[]]>([
    ['nothing at all', () => below(Buffer.alloc(0)), []],
    ['half the first message of the handshake', async () => below((await clientHello()).subarray(0, 100)), []],
    ['half a handshake', async () => below(await clientHello()), []],
    ['a handshake and nothing more', () => over(''), [408]],
    ['half a head', () => over(HALF_HEAD), [408]],
    ['half a body', () => over(HALF_BODY), [408]],
    ['a whole request and nothing more', () => over('GET /plain HTTP/1.1\r\nHost: x\r\n\r\n'), [200]],
  ])(
    'a client that sends %s over TLS is disconnected at the timeout, not before',
    { timeout: 2 * SOON },
    async (_, open, statuses) => {
      const [millis, connection] = await timeUntilClosed(open);

      expect(connection.statuses).toEqual(statuses);
      expect(millis).toBeGreaterThan(TIMEOUT_MILLIS - 50);
    },
  );

  it.concurrent.each<[string, () => Promise<RawConnection>, Buffer]>([
    ['half a handshake', async () => below(await clientHello()), Buffer.of(0x14, 3, 3, 0, 1, 1)],
    ['an empty line', () => over(''), Buffer.from('\r\n')],
    ['a head', () => over(HALF_HEAD), Buffer.from('x')],
    ['a body', () => over(HALF_BODY.replace('12', '1200')), Buffer.from(' ')],
  ])('%s sent piece by piece does not extend the timeout', { timeout: 2 * SOON }, async (_, open, piece) => {
    const connection = await open();
    const dribble = setInterval(() => {
      connection.send(piece);
    }, TIMEOUT_MILLIS / 5);

    await connection.untilClosed(SOON).finally(() => {
      clearInterval(dribble);
    });

    expect(connection.statuses.filter((status) => status !== 408)).toEqual([]);
  });
});

needs('openssl')('R7: many slow clients with TLS', () => {
  beforeAll(() => start(CROWD_TIMEOUT_MILLIS));

  it.each<[string, () => Promise<readonly RawConnection[]>]>([
    [
      'half handshakes, heads and bodies over HTTP/1.1',
      async () => {
        const hello = await clientHello();
        const [handshakes, heads, bodies] = [
          await times(SLOW, () => below(hello)),
          await times(SLOW, () => over(HALF_HEAD)),
          await times(SLOW, () => over(HALF_BODY)),
        ];
        return [...handshakes, ...heads, ...bodies];
      },
    ],
  ])('other clients are served while 150 each send %s', { timeout: 2 * SOON }, async (_, open) => {
    const slow = await open();
    const note = { method: 'POST', headers: JSON_BODY, body: '{"text":"a"}', ca: made.pem };

    const statuses: number[] = [];
    while (statuses.length < SERVED) statuses.push((await overHttp1(service.url, '/note', note)).status);

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(slow.filter(({ isClosed }) => isClosed)).toEqual([]);
    for (const connection of slow) connection.leave();
  });
});
